"""What figures over message size share: their curves, captions, ratios and labels."""
