"""The files of crowd workers in `task1.zip`: reading them, and carrying their tags over to CoNLL's words.

The archive has one text file for each worker and article, `task1/PART/mturk_train_data/WORKER/ARTICLE.txt`, and one for
each article with the true tags, `task1/PART/ground_truth/ARTICLE.txt`. A line holds a word and a tag. These texts cut
words and sentences in their own way, have lost all quotation marks, and contain markup that should be a tag. So
workers' tags are carried over to CoNLL's words character by character.
"""

import logging
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

import numpy as np

PERSON, OTHER, UNKNOWN = 1, 0, -1
RECIPE = "recipe.json"  # the only member of a stand-in
_MEMBER = re.compile(r"[^/]+/[^/]+/(?:ground_truth|mturk_train_data/(?P<worker>[^/]+))/(?P<name>[^/]+)\.txt")
_TAGS = {"O"} | {f"{begin}-{kind}" for begin in "BI" for kind in ("LOC", "MISC", "ORG", "PER")}
_LEAKED = re.compile("/(?:[BI]-)?(?:LOC|MISC|ORG|PER)")  # markup in the text: Nepal/LOC
_QUOTE, _MOST_NAMED = '"', 5

log = logging.getLogger(__name__)


class File(NamedTuple):
    """One article as one worker, or the truth, tagged it."""

    words: list[str]
    text: str  # the words without spaces between them
    person: np.ndarray  # of each character, whether its word is tagged as a person


def read_files(path: str | Path, notes: Counter[str]) -> dict[tuple[str, str], File]:
    """The files by article and worker; the truth has the worker ""."""
    files: dict[tuple[str, str], File] = {}
    odd: Counter[str] = Counter()
    try:
        with zipfile.ZipFile(path) as archive:
            members = sorted(member for member in archive.namelist() if not member.endswith("/"))
            if members == [RECIPE]:
                raise ValueError(f"{path}: is a stand-in, which holds no workers' labels; use standin_labels")
            others = [member for member in members if not _MEMBER.fullmatch(member)]
            for found in filter(None, map(_MEMBER.fullmatch, members)):
                member, key = found.string, (found["name"], found["worker"] or "")
                if key in files:
                    raise ValueError(f"{path}: {member}: another part of the archive has this file, too")
                files[key] = _parse(archive.read(member), f"{path}: {member}", notes, odd)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(f"{path}: is no zip, or a damaged one ({error}); delete it and fetch it again") from None
    count_and_log(notes, "members passed over, neither truth nor a worker's", others)
    for tag, count in sorted(odd.items()):
        count_and_log(notes, f"words with the unknown tag {tag!r}", [tag] * count)
    if len({bool(worker) for _, worker in files}) < 2:
        lacking = "lacks ground_truth or mturk_train_data; is it the file that workflow/sources.yaml names?"
        raise ValueError(f"{path}: {lacking}")
    return files


def _parse(content, member, notes, odd):
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{member}: is not text in UTF-8: {error}") from None
    rows, wrong = [], []
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) == 2:
            rows.append(fields)
        elif len(fields) == 1 and line[0].isspace() and fields[0] in _TAGS:
            notes["lines with a tag but no word, ignored"] += 1  # a space that a worker marked
        elif fields:
            wrong.append(f"line {number}: {line[:60]!r}")
    if wrong or not rows:
        said = f"{len(wrong)} malformed lines ({first_few(wrong)})" if wrong else "no words"
        raise ValueError(f"{member}: {said}; a line is a word and a tag, separated by a space")
    words, tags = zip(*rows, strict=True)
    odd.update(tag for tag in tags if tag not in _TAGS)
    person = np.repeat([tag.endswith("PER") for tag in tags], [len(word) for word in words])
    return File(list(words), "".join(words), person)


def without_quotes(text: str) -> str:
    """A text as it is in the archive, where quotation marks are lost."""
    return text.replace(_QUOTE, "")


def strip_markup(file: File) -> File:
    """The file without the markup in its text."""
    text, person = file.text, file.person
    while found := _LEAKED.search(text):  # pieces can lie inside each other: /B-/B-MISCLOC
        text = text[: found.start()] + text[found.end() :]
        person = np.delete(person, slice(*found.span()))
    return File(file.words, text, person)


def carry_over(file: File, words: list[str], notes: Counter[str]) -> np.ndarray:
    """The votes of a file: PERSON if more than half of a word's characters are, UNKNOWN unless it has all of them."""
    text = "".join(words)
    marks = np.full(len(text), UNKNOWN)
    stripped = file if file.text == text else strip_markup(file)
    notes["characters of markup removed"] += len(file.text) - len(stripped.text)
    if file.text == text:
        notes["files identical" if file.words == words else "files recut"] += 1
        marks[:] = file.person
    elif stripped.text == without_quotes(text):
        notes["files equal but for quotation marks and markup"] += 1
        marks[[sign != _QUOTE for sign in text]] = stripped.person
    else:
        notes["files compared by a diff"] += 1
        for block in SequenceMatcher(None, text, stripped.text, autojunk=False).get_matching_blocks():
            marks[block.a : block.a + block.size] = stripped.person[block.b : block.b + block.size]
    votes = np.empty(len(words), dtype=np.int8)
    for place, mine in enumerate(np.split(marks, np.cumsum([len(word) for word in words])[:-1])):
        persons = int((mine == PERSON).sum())
        votes[place] = UNKNOWN if (mine == UNKNOWN).any() else 2 * persons > len(mine)
        notes["votes on parts of a word, decided by its characters"] += 0 < persons < len(mine)
        if votes[place] == UNKNOWN:
            notes["votes lacking on " + ("other words" if without_quotes(words[place]) else "quotation marks")] += 1
    return votes


def first_few(things: Sequence[object]) -> str:
    """The first few things by name, and how many more there are."""
    more = f" and {len(things) - _MOST_NAMED} more" if len(things) > _MOST_NAMED else ""
    return ", ".join(map(str, things[:_MOST_NAMED])) + more


def count_and_log(notes: Counter[str], what: str, things: Sequence[object]) -> None:
    """Add to the notes how many things were met, and name the first few in a warning."""
    if things:
        notes[what] += len(things)
        log.warning("%d %s: %s", len(things), what, first_few(things))
