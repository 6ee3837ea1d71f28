"""One training set for named-entity recognition."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import logging

from shiftlr.datasets import words

logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")

folders = words.Folders(*(snakemake.input[name] for name in ("conll", "annie", "names", "crowd")))
settings = snakemake.params.ner | {"labels": snakemake.params.labels}
made, vocabulary, about = words.make(snakemake.wildcards.labels, folders, settings)
words.save(snakemake.output.words, made)
words.save_names(snakemake.output.names, vocabulary)
words.save_about(snakemake.output.about, about)
