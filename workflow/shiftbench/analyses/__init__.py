"""What is computed from many runs: bootstrap intervals, maps over parameters, stability."""
