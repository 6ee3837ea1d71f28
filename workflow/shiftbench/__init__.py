"""The benchmark: from datasets to tables. It imports the library `shiftlr`, which never imports it."""
