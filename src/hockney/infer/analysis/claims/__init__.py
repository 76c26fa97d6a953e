"""Published claims, judged by what was measured, and results beside published figures."""
