"""What people read: tables, figures, verdicts. One file per layout of a table and per figure, found by name."""
