"""What earlier runs of a host show of the next one: how much equal runs differ."""
