"""What models are for: which of them holds, and how long patterns of messages will take."""
