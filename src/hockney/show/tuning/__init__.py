"""Shows rules and settings for the MPI of the user."""
