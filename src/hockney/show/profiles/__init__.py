"""Shows how programs communicate: profiles, their causes and order, predictions, figures."""
