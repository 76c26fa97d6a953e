"""Makes a run: finds the MPI and its launcher, and starts the engine launch after launch."""
