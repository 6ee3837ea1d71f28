"""Lists of names, of people and of other things: ANNIE's, the gazetteers of GATE.

An entry of ANNIE's lists may carry features, as in `Abbot:kind=ambig`, which are not part of the name. `lists.def` says
which lists there are and what each holds.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

# What the annotator's rules speak of, and the lists that hold it.
ANNIE = {
    "first": ("person_male", "person_female"),
    "ambiguous_first": ("person_male_ambig", "person_female_ambig"),
    "full": ("person_full", "cabinet_ministers", "foreign_ministers", "person_celebrity_surname"),
    "title": ("title", "title_male", "title_female", "title_mil", "title_pol"),
    "job": ("jobtitles",),
    "ending": ("person_ending",),
    "prefix": ("surname_prefix",),
    "other": (
        *("city", "country", "province", "region", "state_us", "country_adj", "water", "mountain"),
        *("organization", "company", "team", "months", "day", "stop", "org_spur", "person_spur"),
    ),
}
Names = frozenset[tuple[str, ...]]


class Gazetteer(NamedTuple):
    """Names as tuples of words, by kind; a kind without a list is empty."""

    origin: str
    kinds: Mapping[str, Names]

    def of(self, kind: str) -> Names:
        return self.kinds.get(kind, frozenset())

    def longest(self, kind: str) -> int:
        """Words of the longest name of a kind."""
        return max(map(len, self.of(kind)), default=0)


def read_annie(folder: str | Path, lists: Mapping[str, Iterable[str]] = ANNIE) -> Gazetteer:
    """ANNIE's lists of a folder, or a ValueError that names those that lists.def does not know or that are missing."""
    folder = Path(folder)
    known = {line.split(":")[0].strip() for line in lines(folder / "lists.def")}
    wanted = [name for names in lists.values() for name in names]
    unknown = [name for name in wanted if f"{name}.lst" not in known]
    if unknown:
        raise ValueError(
            f"{folder / 'lists.def'}: {len(unknown)} unknown lists: {', '.join(unknown)}; it knows {len(known)}, "
            f"among them {', '.join(sorted(known)[:5])}"
        )
    missing = [name for name in wanted if not (folder / f"{name}.lst").is_file()]
    if missing:
        raise ValueError(f"{folder}: {len(missing)} lists are not there: {', '.join(missing)}; fetch them again")
    kinds = {
        kind: frozenset(_name(line) for name in names for line in lines(folder / f"{name}.lst") if _name(line))
        for kind, names in lists.items()
    }
    return Gazetteer("ANNIE", kinds)


def _name(line):
    """The words of an entry without its features."""
    return tuple(line.split(":")[0].split())


def lines(path: Path) -> list[str]:
    """Lines with something on them."""
    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is not text in UTF-8: {error}") from None


_STANDIN = {
    "person_male": ("John", "Peter", "David", "Michael", "Paul"),
    "person_female": ("Mary", "Anna", "Susan", "Jane"),
    "person_male_ambig": ("Frank", "Chad"),
    "title": ("Mr.", "Mrs.", "Dr.", "President"),
    "surname_prefix": ("van", "de"),
    "city": ("London", "Paris", "Rome", "Berlin"),
    "stop": ("The", "In"),
}


def write_standin(folder: str | Path) -> None:
    """The files with a handful of names in them."""
    used = [name for names in ANNIE.values() for name in names]
    for name in used:
        entries = "".join(f"{entry}\n" for entry in _STANDIN.get(name, ()))
        Path(folder, f"{name}.lst").write_text(entries, encoding="utf-8")
    Path(folder, "lists.def").write_text("".join(f"{name}.lst:standin\n" for name in used), encoding="utf-8")
