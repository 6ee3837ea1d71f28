"""The data of the problems: simulated, or real where they were fetched."""
