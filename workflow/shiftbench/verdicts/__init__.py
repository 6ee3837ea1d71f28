"""Ours against the published numbers and claims (judge), and against the expected results (verify)."""
