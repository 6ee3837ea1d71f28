"""Examples with noisy labels and, where known, the true ones: one module a source."""

# The module of each external dataset of sources.yaml, whose `write_standin` makes its stand-in.
MODULES = {"alon1999": "colon", "conll2003": "conll", "annie": "gazetteers", "names": "census", "crowd2014": "crowd"}
