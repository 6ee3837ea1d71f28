"""Ours and the other solvers: a function each, `prepare(task) -> solve(tolerance) -> Fit`.

A function does all preparation that needs no clock. A solver that is not there raises ImportError or `Skipped`.
"""
