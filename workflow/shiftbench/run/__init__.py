"""What happens around a run of the workflow. The only room that knows Snakemake; rules and scripts import it."""
