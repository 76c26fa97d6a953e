"""Many runs of one system, and looks that are judged one after the other."""
