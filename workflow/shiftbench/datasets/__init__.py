"""Datasets: one file each, found by name; base.py has the contract, ner/ what only words need."""
