"""Labels by 47 crowd workers (Rodrigues et al. 2014), who marked the names in articles of CoNLL-2003's training set.

`task1.zip` holds a text file for each worker and article, `task1/PART/mturk_train_data/WORKER/ARTICLE.txt`, and one for
each article with the true tags, `task1/PART/ground_truth/ARTICLE.txt`. A line holds a word and a tag. These texts cut
words and sentences in their own way, have lost all quotation marks, and have markup in them that should be a tag. So
words, sentences and true tags come from CoNLL itself, and workers' tags are carried over character by character.
"""

import json
import logging
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftlr.datasets.conll import ARTICLE, Corpus

PERSON, OTHER, UNKNOWN = 1, 0, -1
ARCHIVE, RECIPE = "task1.zip", "recipe.json"
P0, P1 = 0.004, 0.075  # the report's rates, used for the stand-in
_MEMBER = re.compile(r"[^/]+/[^/]+/(?:ground_truth|mturk_train_data/(?P<worker>[^/]+))/(?P<name>[^/]+)\.txt")
_TAGS = {"O"} | {f"{begin}-{kind}" for begin in "BI" for kind in ("LOC", "MISC", "ORG", "PER")}
_LEAKED = re.compile("/(?:[BI]-)?(?:LOC|MISC|ORG|PER)")  # markup in the text: Nepal/LOC
_QUOTE, _MOST_NAMED = '"', 5

log = logging.getLogger(__name__)


class Crowd(NamedTuple):
    """Articles in CoNLL's order, without their -DOCSTART-, which no worker saw."""

    corpus: Corpus  # CoNLL's words, sentences and tags; articles are numbered from 0
    places: np.ndarray  # of each word, its place in the corpus it was taken from
    names: list[str]  # of the articles
    votes: list[dict[str, np.ndarray]]  # of each article, by worker: PERSON, OTHER or UNKNOWN for each of its words
    notes: Counter[str]  # what was met while reading, counted

    @property
    def workers(self) -> list[str]:
        """The workers, sorted."""
        return sorted({worker for votes in self.votes for worker in votes})

    @property
    def bounds(self) -> np.ndarray:
        """The first word of each article, and the number of words."""
        return np.searchsorted(self.corpus.articles, np.arange(len(self.names) + 1))


class _File(NamedTuple):
    words: list[str]
    text: str  # the words without spaces between them
    person: np.ndarray  # of each character, whether its word is tagged as a person


def read(path: str | Path, train: Corpus) -> Crowd:
    """The articles of the archive that workers labelled, or a ValueError that says what is wrong with which file."""
    notes: Counter[str] = Counter()
    files, places_of = _files(path, notes), _articles(train)
    numbers = _numbers(path, {name: file for (name, worker), file in files.items() if not worker}, train, notes)
    orphans = [f"{worker}/{name}" for name, worker in files if worker and name not in numbers]
    _note(notes, "files refused, their article is not known", orphans)
    votes: dict[str, dict[str, np.ndarray]] = {name: {} for name in sorted(numbers, key=numbers.__getitem__)}
    for (name, worker), file in files.items():
        if name in numbers:
            words = [train.words[place] for place in places_of[numbers[name]]]
            votes[name][worker] = _votes(file, words, notes if worker else Counter())
    truths = {name: votes[name].pop("") for name in votes}  # they tell whether the votes can be relied on
    _note(notes, "articles left out, no worker labelled them", [name for name in votes if not votes[name]])
    names = [name for name in votes if votes[name]]
    if not names:
        raise ValueError(f"{path}: none of its files by workers belongs to an article of CoNLL's training set")
    parts = [places_of[numbers[name]] for name in names]
    places = np.concatenate(parts)
    words, tags = [train.words[place] for place in places], [train.tags[place] for place in places]
    starts = np.flatnonzero(np.isin(places, train.sentence_starts))
    articles = np.repeat(np.arange(len(names)), [len(part) for part in parts])
    corpus = Corpus(words, tags, np.array([*starts, len(words)]), articles)
    crowd = Crowd(corpus, places, names, [votes[name] for name in names], notes)
    truth = np.concatenate([truths[name] for name in names])
    notes["words whose true label is not CoNLL's"] = int(((truth != corpus.is_person) & (truth != UNKNOWN)).sum())
    log.info("%s: %d articles, %d words, %d workers", path, len(names), len(words), len(crowd.workers))
    for note, count in sorted(notes.items()):
        log.info("%s: %s: %d", path, note, count)
    return crowd


def _files(path, notes):
    """The files by article and worker; the truth has the worker ""."""
    files: dict[tuple[str, str], _File] = {}
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
    _note(notes, "members passed over, neither truth nor a worker's", others)
    for tag, count in sorted(odd.items()):
        _note(notes, f"words with the unknown tag {tag!r}", [tag] * count)
    if len({bool(worker) for _, worker in files}) < 2:
        raise ValueError(f"{path}: lacks ground_truth or mturk_train_data; is it the file that sources.yaml names?")
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
        said = f"{len(wrong)} malformed lines ({_named(wrong)})" if wrong else "no words"
        raise ValueError(f"{member}: {said}; a line is a word and a tag, separated by a space")
    words, tags = zip(*rows, strict=True)
    odd.update(tag for tag in tags if tag not in _TAGS)
    person = np.repeat([tag.endswith("PER") for tag in tags], [len(word) for word in words])
    return _File(list(words), "".join(words), person)


def _numbers(path, truth, train, notes):
    """The number in `train` of each article: that with the same characters, quotation marks aside."""
    by_text = defaultdict(list)
    for number, text in _texts(train).items():
        by_text[_key(text)].append(number)
    found = {name: by_text.get(_key(_stripped(file).text), []) for name, file in truth.items()}
    times = Counter(number for numbers in found.values() for number in numbers)
    repeated = [f"{name} as {n}" for name, n in found.items() if len(n) > 1 or any(times[one] > 1 for one in n)]
    if repeated:
        raise ValueError(f"{path}: articles that it or CoNLL's training set holds more than once: {_named(repeated)}")
    numbers = {name: numbers[0] for name, numbers in found.items() if numbers}
    _note(notes, "articles left out, CoNLL's training set does not hold them", [n for n in truth if n not in numbers])
    return numbers


def _articles(corpus):
    """The places of each article's words, without -DOCSTART-."""
    places = np.array([place for place, word in enumerate(corpus.words) if word != ARTICLE])
    parts = np.split(places, np.flatnonzero(np.diff(corpus.articles[places])) + 1)
    return {int(corpus.articles[part[0]]): part for part in parts}


def _texts(corpus):
    """The words of each article, without spaces between them."""
    return {number: "".join(corpus.words[place] for place in places) for number, places in _articles(corpus).items()}


def _key(text):
    return text.replace(_QUOTE, "")


def _stripped(file):
    """The file without the markup in its text."""
    text, person = file.text, file.person
    while found := _LEAKED.search(text):  # pieces can lie inside each other: /B-/B-MISCLOC
        text = text[: found.start()] + text[found.end() :]
        person = np.delete(person, slice(*found.span()))
    return _File(file.words, text, person)


def _votes(file, words, notes):
    """The votes of a file: PERSON if more than half of a word's characters are, UNKNOWN unless it has all of them."""
    text = "".join(words)
    marks = np.full(len(text), UNKNOWN)
    stripped = file if file.text == text else _stripped(file)
    notes["characters of markup removed"] += len(file.text) - len(stripped.text)
    if file.text == text:
        notes["files identical" if file.words == words else "files recut"] += 1
        marks[:] = file.person
    elif stripped.text == _key(text):
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
            notes["votes lacking on " + ("other words" if _key(words[place]) else "quotation marks")] += 1
    return votes


def _named(things):
    more = f" and {len(things) - _MOST_NAMED} more" if len(things) > _MOST_NAMED else ""
    return ", ".join(map(str, things[:_MOST_NAMED])) + more


def _note(notes, what, things):
    if things:
        notes[what] += len(things)
        log.warning("%d %s: %s", len(things), what, _named(things))


def majority(crowd: Crowd) -> np.ndarray:
    """What most workers say of each word: PERSON, OTHER, or UNKNOWN where votes are equal or there are none."""
    said = [np.array(list(votes.values())) for votes in crowd.votes]
    margins = np.concatenate([np.sum(votes == PERSON, axis=0) - np.sum(votes == OTHER, axis=0) for votes in said])
    return np.select([margins > 0, margins < 0], [PERSON, OTHER], UNKNOWN).astype(np.int8)


def disagreement(crowd: Crowd) -> dict[str, tuple[float, int]]:
    """Of each worker, (the share of words on which he differs from the majority, the number of words he labelled)."""
    agreed, result = majority(crowd), {}
    for worker in crowd.workers:
        places, labels = labels_of_turker(crowd, worker)
        known = agreed[places] != UNKNOWN
        if known.any():
            result[worker] = float((labels != agreed[places])[known].mean()), len(places)
    return result


def average_turker(crowd: Crowd) -> str:
    """The worker whose disagreement is nearest the mean of all workers; of two equally near, the first by name.

    Only those are considered who labelled at least the median number of words.
    """
    of = disagreement(crowd)
    mean = np.mean([share for share, _ in of.values()])
    enough = np.median([count for _, count in of.values()])
    return min((abs(share - mean), worker) for worker, (share, count) in of.items() if count >= enough)[1]


def labels_of_turker(crowd: Crowd, worker: str) -> tuple[np.ndarray, np.ndarray]:
    """(places of the words in the crowd's corpus, labels) of all words that a worker labelled."""
    if worker not in crowd.workers:
        raise ValueError(f"worker {worker!r}: has no labels; workers are {_named(crowd.workers)}")
    return _labels(crowd, [worker] * len(crowd.names))


def labels_per_article(crowd: Crowd, seed: int) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """(places of the words in the crowd's corpus, labels, workers): for each article, one of its workers is drawn."""
    rng = np.random.default_rng(seed)
    drawn = [sorted(votes)[rng.integers(len(votes))] for votes in crowd.votes]
    return *_labels(crowd, drawn), drawn


def _labels(crowd, workers):
    """The places and labels of the words that the given worker of each article labelled."""
    said = np.full(len(crowd.corpus.words), UNKNOWN)
    for first, votes, worker in zip(crowd.bounds[:-1], crowd.votes, workers, strict=True):
        if worker in votes:
            said[first : first + len(votes[worker])] = votes[worker]
    places = np.flatnonzero(said != UNKNOWN)
    return places, said[places] == PERSON


def noise(labels: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    """(p0, p1): of the reference's negatives and of its positives, the share with the other label; nan of nothing."""
    negatives, positives = labels[reference == OTHER], labels[reference == PERSON]
    p0, p1 = (flips.mean() if len(flips) else np.nan for flips in (negatives != 0, positives == 0))
    return float(p0), float(p1)


def check_disjoint(train: Corpus, test: Corpus) -> None:
    """A ValueError that names the articles of `train` whose words `test` has, too."""
    known = set(_texts(test).values())
    shared = [f"{number} ({text[:40]})" for number, text in _texts(train).items() if text in known]
    if shared:
        raise ValueError(f"{len(shared)} articles of the training set are in the test set, too: {_named(shared)}")


def write_standin(folder: str | Path, seed: int = 2014) -> None:
    """An archive without labels: it tells how to flip CoNLL's own at the report's rates."""
    with zipfile.ZipFile(Path(folder) / ARCHIVE, "w") as archive:
        archive.writestr(zipfile.ZipInfo(RECIPE), json.dumps({"p0": P0, "p1": P1, "seed": seed}) + "\n")


def standin_labels(train: Corpus, path: str | Path) -> np.ndarray:
    """Labels of all words of CoNLL's training set, flipped as the stand-in at `path` tells."""
    try:
        with zipfile.ZipFile(path) as archive:
            recipe = json.loads(archive.read(RECIPE))
        p0, p1, seed = float(recipe["p0"]), float(recipe["p1"]), int(recipe["seed"])
    except (zipfile.BadZipFile, zlib.error, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: is no stand-in, its {RECIPE} (p0, p1, seed) cannot be read: {error}") from None
    person = train.is_person
    return person ^ (np.random.default_rng(seed).random(len(person)) < np.where(person, p1, p0))
