"""The made-up news that stand in for CoNLL's files, for stand-ins of files that speak of the same words."""

import tempfile
from functools import lru_cache
from pathlib import Path

from shiftbench.datasets.ner import conll
from shiftbench.datasets.ner.conll import Corpus


@lru_cache(maxsize=2)
def news(seed: int | None = None) -> dict[str, bytes]:
    """The files by their names, those of the stand-in itself or others of the kind."""
    with tempfile.TemporaryDirectory() as made:
        conll.write_standin(made) if seed is None else conll.write_standin(made, seed)
        return {name: Path(made, name).read_bytes() for name in conll.FILES.values()}


def train_corpus() -> Corpus:
    """The stand-in of the training set."""
    with tempfile.TemporaryDirectory() as made:
        path = Path(made, conll.FILES["train"])
        path.write_bytes(news()[path.name])
        return conll.read(path)
