"""config.yaml: load (defaults, checks), plan (experiments cut into jobs)."""
