"""The stand-in of CoNLL-2003's test set (testb), a file like the others of the corpus."""

from pathlib import Path

from shiftbench.datasets.ner import conll
from shiftbench.datasets.ner.made_up import news

FILE = "test.txt"


def standin(seed: int = 2004) -> bytes:
    """Made-up news, other than that of the other parts."""
    return news(seed)[conll.FILES["test"]]


def write_standin(folder: str | Path) -> None:
    """The file with made-up news."""
    Path(folder, FILE).write_bytes(standin())
