"""First names and surnames of the US census, as the package `names` has them: for where ANNIE's lists can't be had."""

from pathlib import Path

from shiftbench.datasets.ner.gazetteers import Gazetteer, lines

FILES = {"first": ("dist.male.first", "dist.female.first"), "surname": ("dist.all.last",)}
# The census has neither titles nor other things' names; these are in every newspaper.
TITLES = ("Mr", "Mr.", "Mrs", "Mrs.", "Ms", "Ms.", "Miss", "Dr", "Dr.", "Sir", "Lord", "Lady", "President", "Prince")
OTHER = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    *("December", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "In", "An", "The"),
)


def read(folder: str | Path) -> Gazetteer:
    """The census' first names: lines of a name, its share in per cent, the shares up to it, and a rank."""
    first = {line.split()[0].capitalize() for name in FILES["first"] for line in lines(Path(folder, name))}
    surnames = {line.split()[0].capitalize() for name in FILES["surname"] for line in lines(Path(folder, name))}
    kinds = {
        "first": first - surnames,
        "ambiguous_first": first & surnames,  # by itself such a name may as well be anything else's
        "title": TITLES,
        "other": OTHER,
    }
    return Gazetteer("US census", {kind: frozenset((name,) for name in names) for kind, names in kinds.items()})


def write_standin(folder: str | Path) -> None:
    """The files with a handful of names in them."""
    names = {"dist.male.first": ("JOHN", "PETER"), "dist.female.first": ("MARY", "ANNA"), "dist.all.last": ("SMITH",)}
    for name, entries in names.items():
        lines = "".join(f"{entry:14s} 1.000  1.000      1\n" for entry in entries)
        Path(folder, name).write_text(lines, encoding="utf-8")
