"""The stand-in of CoNLL-2003's test set (testb), a file like the others of the corpus."""

import tempfile
from pathlib import Path

from shiftbench.datasets.ner import conll

FILE = "test.txt"


def write_standin(folder: str | Path, seed: int = 2004) -> None:
    """The file with made-up news, other than that of the other parts."""
    with tempfile.TemporaryDirectory() as made:
        conll.write_standin(made, seed)
        Path(folder, FILE).write_bytes(Path(made, conll.FILES["test"]).read_bytes())
