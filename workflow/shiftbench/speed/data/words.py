"""Made-up text with the features of named-entity recognition: sparse, binary, as wide as the real matrix."""

import numpy as np
from scipy import sparse

CONSONANTS, VOWELS = "bcdfghjklmnprstvwz", "aeiou"
AFFIX_LENGTHS = range(2, 7)
WORD_PAIRS = 2  # templates, the last ones
WINDOW = 4  # words to each side


def named_entities(n, rng, n_words=50_000):
    """Zipf words in sentences with the usual binary features, about 34 ones a row, and 30 % of the positives missed."""
    words = _vocabulary(n_words, rng)
    tokens, sentences = _text(n, n_words, rng)
    X = _matrix(words, tokens, sentences, rng)

    name = _is_name(words, rng)
    title = np.isin(np.arange(n_words), rng.integers(20, 400, 25))
    score = -5.5 + 6.5 * name[tokens] + rng.normal(0.0, 0.7, n_words)[tokens]
    score[1:] += 2.5 * title[tokens[:-1]] + 2.0 * name[tokens[:-1]]
    positive = rng.random(n) < 1.0 / (1.0 + np.exp(-score))
    missed = rng.random(n) < 0.3
    return X, np.where(positive & ~missed, 1.0, -1.0)


def typed_entities(n, rng, n_words, n_types=4, noise=0.08):
    """The same features with a type of entity for each word, or none: labels 0 (none) to n_types, some of them wrong.

    Most words have the label 0, and noise makes of an entity another type or none.
    """
    words = _vocabulary(n_words, rng)
    tokens, sentences = _text(n, n_words, rng)
    X = _matrix(words, tokens, sentences, rng)

    name = _is_name(words, rng)
    type_of = rng.choice(n_types, n_words, p=np.arange(n_types, 0, -1) / np.arange(n_types + 1).sum())
    cue = np.where(np.arange(n_words) < 400, rng.integers(0, 8 * n_types, n_words), n_types)  # frequent words before it
    scores = np.zeros((n, n_types + 1))
    scores[:, 1:] = -4.0 + rng.normal(0.0, 0.7, (n_words, n_types))[tokens]
    everyone = np.arange(n)
    scores[everyone, 1 + type_of[tokens]] += 6.0 * name[tokens]
    after_cue = everyone[1:][cue[tokens[:-1]] < n_types]
    scores[after_cue, 1 + cue[tokens[after_cue - 1]]] += 2.5
    labels = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    wrong = rng.random(n) < np.where(labels > 0, 2.0 * noise, 0.25 * noise)
    return X, np.where(wrong, rng.integers(0, n_types + 1, n), labels)


def _matrix(words, tokens, sentences, rng):
    """Binary features, one row for each token."""
    rows, columns, width = _features(words, tokens, sentences, rng)
    shape = len(tokens), width
    X = sparse.csr_matrix((np.ones(len(rows)), (rows, rng.permutation(width)[columns])), shape=shape)
    X.sum_duplicates()
    X.data[:] = 1.0
    return X


def _is_name(words, rng):
    """Which words are names: some of the capitalised, none of the most frequent."""
    capital = np.array([word[0].isupper() for word in words])
    return (rng.random(len(words)) < 0.3) & capital & (np.arange(len(words)) > 150)


def _vocabulary(size, rng):
    """Distinct letter strings, frequent ones shorter; some capitalised, numbers, or with a number after a hyphen."""
    words: dict[str, None] = {}
    while len(words) < size:
        picks = rng.integers(0, 90, 1 + rng.poisson(0.4 * np.log(len(words) + 4.0)))
        word = "".join(CONSONANTS[pick % 18] + VOWELS[pick // 18] for pick in picks)
        if rng.random() < 0.5:
            word += CONSONANTS[rng.integers(18)]
        kind = rng.random()
        if kind < 0.30:
            word = word.capitalize()
        elif kind < 0.36:
            word = word.upper()
        elif kind < 0.40:
            word = str(rng.integers(0, 10_000))
        elif kind < 0.42:
            word = f"{word}-{rng.integers(0, 100)}"
        words.setdefault(word)
    return list(words)


def _text(n, n_words, rng):
    """The word and the sentence of each of n tokens; a quarter of the words follow from earlier ones."""
    frequencies = 1.0 / (np.arange(n_words) + 3.0) ** 1.1
    companion = rng.integers(0, n_words, n_words)
    tokens = rng.choice(n_words, n, p=frequencies / frequencies.sum())
    for i in np.flatnonzero(rng.random(n) < 0.25):
        repeated = tokens[max(0, i - rng.integers(1, 40))]
        tokens[i] = companion[tokens[i - 1]] if i > 0 and rng.random() < 0.5 else repeated
    return tokens, np.cumsum(rng.random(n) < 1.0 / 14.0)


def _features(words, tokens, sentences, rng):
    """(rows, columns, number of columns) of the ones: words, shapes and affixes of the token and its neighbours."""
    shapes, shape_of_word = np.unique([_shape(word) for word in words], return_inverse=True)
    templates = _templates(tokens, shape_of_word[tokens], sentences, len(words) + 1, len(shapes) + 1)
    everyone = np.arange(len(tokens))
    parts = [(everyone, codes) for codes in templates[:-WORD_PAIRS]]
    for codes in templates[-WORD_PAIRS:]:
        # most word pairs occur once; only a few of those are kept, or there would be several times the columns
        _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
        kept = np.flatnonzero((counts[inverse] > 1) | (rng.random(len(codes)) < 0.02))
        parts.append((kept, codes[kept]))
    for side in (-1, 1):
        window = np.concatenate([_neighbours(tokens, sentences, side * k) for k in range(1, WINDOW + 1)])
        inside = window > 0
        parts.append((np.tile(everyone, WINDOW)[inside], window[inside]))
    parts.append(_affix_ones(words, tokens))

    rows, columns, width = [], [], 0
    for part_rows, codes in parts:
        distinct, numbers = np.unique(codes, return_inverse=True)
        rows.append(part_rows)
        columns.append(numbers + width)
        width += len(distinct)
    return np.concatenate(rows), np.concatenate(columns), width


def _templates(tokens, shapes, sentences, n_words, n_shapes):
    """One code a token and template: its word, shape, those of its neighbours, and pairs of these."""
    tokens = tokens.astype(np.int64)
    word_before, word_after = _neighbours(tokens, sentences, -1), _neighbours(tokens, sentences, 1)
    before, after = _neighbours(shapes, sentences, -1), _neighbours(shapes, sentences, 1)
    two_before, two_after = _neighbours(shapes, sentences, -2), _neighbours(shapes, sentences, 2)
    singles = [tokens, word_before, word_after, shapes, before, after, two_before, two_after]
    with_shape = [
        (shapes, before),
        (shapes, after),
        (shapes * n_shapes + before, after),
        (tokens, before),
        (tokens, after),
        (word_before, shapes),
        (word_after, shapes),
        (two_before, before),
        (two_after, after),
    ]
    word_pairs = [word_before * n_words + tokens, tokens * n_words + word_after]
    return singles + [first * n_shapes + second for first, second in with_shape] + word_pairs


def _neighbours(values, sentences, offset):
    """1 + the value `offset` tokens away, 0 beyond the sentence's ends."""
    source = np.arange(len(values)) + offset
    inside = (source >= 0) & (source < len(values))
    source = np.clip(source, 0, len(values) - 1)
    return np.where(inside & (sentences[source] == sentences), values[source] + 1, 0)


def _affix_ones(words, tokens):
    """(rows, codes) of the first and last letters of each token's word."""
    numbers: dict[tuple[str, str], int] = {}
    codes: list[int] = []
    ends = [0]
    for word in words:
        marked = f"<{word}>"
        lengths = [k for k in AFFIX_LENGTHS if k <= len(marked)]
        affixes = [("prefix", marked[:k]) for k in lengths] + [("suffix", marked[-k:]) for k in lengths]
        codes.extend(numbers.setdefault(affix, len(numbers)) for affix in affixes)
        ends.append(len(codes))
    counts = np.diff(ends)[tokens]
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(np.arange(len(tokens)), counts), np.array(codes)[np.repeat(np.array(ends)[tokens], counts) + place]


def _shape(word):
    """Capitals as X, small letters as x, digits as d; runs cut at two."""
    shape = ""
    for letter in word:
        kind = "X" if letter.isupper() else "x" if letter.islower() else "d" if letter.isdigit() else letter
        if not shape.endswith(kind + kind):
            shape += kind
    return shape
