"""Methods of the benchmark's own, beside the library's: rivals that need packages which the library does without."""
