"""Layouts of tables: one file each with `build(context) -> Table`, found by name (`layout` in config.yaml).

`CAPTION` of a module is what Snakemake's report says of its tables beside their titles. base.py has what they share.
"""
