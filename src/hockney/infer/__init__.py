"""What numbers say: estimates with intervals, models fitted to them, predictions, conclusions."""
