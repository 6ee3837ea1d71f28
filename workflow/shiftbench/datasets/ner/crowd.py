"""Labels by 47 crowd workers (Rodrigues et al. 2014), who marked the names in articles of CoNLL-2003's training set.

Words, sentences and true tags come from CoNLL itself; of the archive's files (`crowd_files`) only the workers' tags are
used.
"""

import json
import logging
import zipfile
import zlib
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftbench.datasets.ner.conll import ARTICLE, Corpus
from shiftbench.datasets.ner.crowd_files import (
    OTHER,
    PERSON,
    RECIPE,
    UNKNOWN,
    File,
    carry_over,
    count_and_log,
    first_few,
    read_files,
    strip_markup,
    without_quotes,
)

ARCHIVE = "task1.zip"
P0, P1 = 0.004, 0.075  # the report's rates, used for the stand-in

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


def read(path: str | Path, train: Corpus) -> Crowd:
    """The articles of the archive that workers labelled, or a ValueError that says what is wrong with which file."""
    notes: Counter[str] = Counter()
    files, places_of = read_files(path, notes), _articles(train)
    numbers = _numbers(path, {name: file for (name, worker), file in files.items() if not worker}, train, notes)
    orphans = [f"{worker}/{name}" for name, worker in files if worker and name not in numbers]
    count_and_log(notes, "files refused, their article is not known", orphans)
    votes: dict[str, dict[str, np.ndarray]] = {name: {} for name in sorted(numbers, key=numbers.__getitem__)}
    for (name, worker), file in files.items():
        if name in numbers:
            words = [train.words[place] for place in places_of[numbers[name]]]
            votes[name][worker] = carry_over(file, words, notes if worker else Counter())
    truths = {name: votes[name].pop("") for name in votes}  # they tell whether the votes can be relied on
    count_and_log(notes, "articles left out, no worker labelled them", [name for name in votes if not votes[name]])
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


def _numbers(path, truth: dict[str, File], train, notes):
    """The number in `train` of each article: that with the same characters, quotation marks aside."""
    by_text = defaultdict(list)
    for number, text in _texts(train).items():
        by_text[without_quotes(text)].append(number)
    found = {name: by_text.get(without_quotes(strip_markup(file).text), []) for name, file in truth.items()}
    times = Counter(number for numbers in found.values() for number in numbers)
    repeated = [f"{name} as {n}" for name, n in found.items() if len(n) > 1 or any(times[one] > 1 for one in n)]
    if repeated:
        which = f"articles that it or CoNLL's training set holds more than once: {first_few(repeated)}"
        raise ValueError(f"{path}: {which}")
    numbers = {name: numbers[0] for name, numbers in found.items() if numbers}
    unknown = [name for name in truth if name not in numbers]
    count_and_log(notes, "articles left out, CoNLL's training set does not hold them", unknown)
    return numbers


def _articles(corpus):
    """The places of each article's words, without -DOCSTART-."""
    places = np.array([place for place, word in enumerate(corpus.words) if word != ARTICLE])
    parts = np.split(places, np.flatnonzero(np.diff(corpus.articles[places])) + 1)
    return {int(corpus.articles[part[0]]): part for part in parts}


def _texts(corpus):
    """The words of each article, without spaces between them."""
    return {number: "".join(corpus.words[place] for place in places) for number, places in _articles(corpus).items()}


def majority(crowd: Crowd) -> np.ndarray:
    """What most workers say of each word: PERSON, OTHER, or UNKNOWN where votes are equal or there are none."""
    said = [np.array(list(votes.values())) for votes in crowd.votes]
    margins = np.concatenate([np.sum(votes == PERSON, axis=0) - np.sum(votes == OTHER, axis=0) for votes in said])
    return np.select([margins > 0, margins < 0], [PERSON, OTHER], UNKNOWN).astype(np.int8)


def disagreement(crowd: Crowd) -> dict[str, tuple[float, int]]:
    """Of each worker, (the share of words that differ from the majority, the number of words labelled)."""
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
        raise ValueError(f"worker {worker!r}: has no labels; workers are {first_few(crowd.workers)}")
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
        raise ValueError(f"{len(shared)} articles of the training set are in the test set, too: {first_few(shared)}")


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
