"""Tables of named-entity recognition: 3 (the data), 4, 5 and 8 (scores), label errors, thinned features, suspects."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from shiftlr.config import LAM_RULES, ner_methods
from shiftlr.evaluation import BASELINE
from shiftlr.tables import Cell, Table

SHOWN = 40  # suspects on a page
STANDIN = "Stand-in data for what could not be had. "
OTHER_DATA = "Other data than the report's: its Wikipedia set was never published, and its annotator is not to be had."
COLUMNS = ("labels", "model", "precision", "recall", "f1", "published_f1", "data")  # of the CSV of scores
_TEST = "CoNLL test"
_LETTERS = {"lam": r"$\lambda$"}


class Published(NamedTuple):
    """A table of the report."""

    caption: str
    labels: tuple[str, ...]
    models: tuple[str, ...]  # in the table's order; further methods of the config come after them


TABLES = {
    "table4": Published(
        "Persons found after training on labels of crowd workers (section 4.3)",
        ("turker", "per_article"),
        ("standard", "flipping", "robust", "robust_share", "robust_folds"),
    ),
    "table5": Published(
        "Persons found after training on labels made by rules, and on the true labels of the same words (section 4.4)",
        ("auto", "gold"),
        ("standard", "flipping", "robust", "robust_share", "robust_folds", "prefilter", "svm"),
    ),
    "table8": Published(
        "Persons found by each method after training on labels of crowd workers (appendix B)",
        ("turker", "per_article"),
        ("standard", "prefilter", "flipping", "robust", "svm"),
    ),
}


def title_of(model: str, methods: Mapping[str, dict[str, Any]]) -> str:
    """How a model is called in tables and figures."""
    return LAM_RULES.get(model) or methods.get(model, {"title": model})["title"]


def data_table(about: dict[str, dict[str, Any]], test: dict[str, Any], published) -> Table:
    """The report's Table 3: our sets of labels, each beside the report's own."""
    rows = published[published["table"] == "table3"].pivot(index="row", columns="column", values="value")
    theirs = {"auto": "CoNLL + MUSE", "per_article": "Wikipedia", "test": _TEST}
    entries = []
    for kind, one in (about | {"test": test}).items():
        if kind != "gold":
            source = one.get("source", "CoNLL")
            entries.append((source, "test" if kind == "test" else "train", "ours", _counts(one), one["data"]))
        if kind in theirs:
            report = rows.loc[theirs[kind]]
            counts = [report.get(name, np.nan) for name in ("pos", "neg", "features", "p0", "p1")]
            entries.append((theirs[kind].replace(" test", ""), "", "report", counts, "report"))
    lines = [[Cell(one), Cell(part), Cell(whose), *_count_cells(counts)] for one, part, whose, counts, _ in entries]
    names = ["positives", "negatives", "features", "p0", "p1"]
    data = pd.DataFrame(
        [
            {"source": source, "partition": partition, "whose": whose}
            | dict(zip(names, counts, strict=True))
            | {"data": kind}
            for source, partition, whose, counts, kind in entries
        ]
    )
    is_standin = "standin" in set(data["data"])
    caption = f"{STANDIN if is_standin else ''}Data of the named-entity experiments (Table 3)."
    notes = [
        "Automatic labels: $p_0$ is the share of persons that were missed, $p_1$ the share of other words that were "
        "marked. Crowd: $p_0$ is the share of words marked among those that the majority of workers calls no person, "
        "$p_1$ the share not marked among those it calls persons.",
        _against_gold(about),
    ]
    groups = [k for k, entry in enumerate(entries) if entry[2] == "ours"]
    head = ["source", "partition", "", "# pos", "# neg", "# features", "$p_0$", "$p_1$"]
    return Table(caption, head, lines, 3, groups, [note for note in notes if note], data)


def _counts(about):
    return [about.get(name, np.nan) for name in ("positives", "negatives", "features", "p0", "p1")]


def _count_cells(counts):
    whole = [Cell("-" if np.isnan(one) else f"{one:,.0f}") for one in counts[:3]]
    return whole + [Cell("-" if np.isnan(one) else f"{one:.3f}") for one in counts[3:]]


def _against_gold(about):
    """What crowd workers get wrong beside CoNLL's own labels."""
    listed = [
        f"{one['source']}: $p_0$ {one['p0_gold']:.3f}, $p_1$ {one['p1_gold']:.3f}"
        for one in about.values()
        if "p0_gold" in one
    ]
    return f"Against CoNLL's own labels instead of the majority: {'; '.join(listed)}." if listed else ""


def score_table(name: str, config: dict[str, Any], about, scores, differences, published) -> Table:
    """Table 4, 5 or 8: precision, recall and F1 of each model, its gain over standard, and the published scores."""
    table = TABLES[name]
    in_report = {model for one in TABLES.values() for model in one.models}
    others = [model for model in ner_methods(config) if model in config["also"] or model not in in_report]
    shown = list(dict.fromkeys([*table.models, *others]))
    theirs = published[published["table"] == name].pivot_table(index="row", columns="column", values="value")
    gains = differences[differences["against"] == BASELINE].set_index(["labels", "model"])
    lines: list[list[Cell]] = []
    records, groups = [], []
    for kind in [kind for kind in table.labels if kind in about]:
        mine = scores[scores["labels"] == kind].set_index("model")
        ok = mine[(mine["status"] == "ok") & mine.index.isin(shown)]
        best = ok["f1"].idxmax() if len(ok) else None
        groups.append(len(lines))
        for model in [model for model in shown if model in mine.index]:
            row = mine.loc[model]
            compared = kind != "gold" and model in theirs.index
            numbers = (
                [theirs.loc[model, score] for score in ("precision", "recall", "f1")] if compared else [np.nan] * 3
            )
            first = len(lines) == groups[-1]
            keys = [
                Cell(config["ner"]["labels"][kind]["title"] if first else ""),
                Cell(title_of(model, config["methods"])),
            ]
            ours = _score_cells(row, model == best)
            gain = gains.loc[(kind, model)] if (kind, model) in gains.index else None
            report = [Cell("" if np.isnan(one) else f"{one:.2f}") for one in numbers]
            lines.append([*keys, *ours, Cell(_gain(gain)), *report])
            record = {"labels": kind, "model": model} | {s: row[s] for s in ("precision", "recall", "f1")}
            records.append(record | {"published_f1": numbers[2], "data": about[kind]["data"]})
    is_standin = any(record["data"] == "standin" for record in records)
    caption = f"{STANDIN if is_standin else ''}{table.caption}; CoNLL test set, in per cent."
    notes = [
        f"gain: F1 less that of {BASELINE}, with the 95 % interval of {config['ner']['resamples']} bootstrap resamples "
        "of the test articles. Last: the report's precision, recall and F1.",
        OTHER_DATA,
        *_rules(config, table.labels, shown),
        *_chosen(config, about, scores[scores["model"].isin(shown)], table.labels),
        *_failures(scores[scores["model"].isin(shown)], table.labels),
    ]
    head = ["labels", "model", "precision", "recall", "F1", "gain", "report P", "R", "F1"]
    return Table(caption, head, lines, 2, groups, notes, pd.DataFrame(records, columns=list(COLUMNS)))


def _score_cells(row, is_best):
    if row["status"] != "ok":
        return [Cell("failed"), Cell(""), Cell("")]
    return [Cell(f"{row['precision']:.2f}"), Cell(f"{row['recall']:.2f}"), Cell(f"{row['f1']:.2f}", is_best)]


def _gain(row):
    return "" if row is None else f"{row['difference']:+.2f} [{row['low']:+.2f}, {row['high']:+.2f}]"


def _rules(config, labels, shown):
    """How lam of `robust` is chosen, for each rule that is used."""
    used = {config["ner"]["labels"][kind]["lam"] for kind in labels if not config["ner"]["labels"][kind]["like"]}
    notes = []
    if "folds" in used:
        notes.append(r"robust: $\lambda$ by cross-validation on the noisy labels.")
    if "share" in used:
        notes.append(
            r"robust: $\lambda$ by cross-validation among those whose share of shifted examples is nearest to that of "
            "wrong labels, which this rule is told, as in the report; the other methods are not."
        )
    if {"robust_share", "robust_folds"} & set(shown):
        notes.append("The model of the other rule stands below it.")
    return [" ".join(notes)]


def _chosen(config, about, scores, labels):
    """A note for each set of labels: the parameters that were chosen, and what was learned beside the weights."""
    notes = []
    for kind in labels:
        mine = scores[(scores["labels"] == kind) & (scores["status"] == "ok")].set_index("model")
        parts = []
        for model, row in mine.iterrows():
            own = {name: value for name, value in json.loads(row["params"]).items() if name != "alpha"}
            if model == BASELINE:
                parts.append(rf"$\sigma^2$ = {1.0 / json.loads(row['params'])['alpha']:.3g}")
            said = [f"{_LETTERS.get(name, name)} = {value:.3g}" for name, value in own.items()]
            said += [f"{100 * row['share_shifted']:.1f} % shifted"] if row["share_shifted"] > 0.0 else []
            said += [f"{100 * row['share_filtered']:.1f} % filtered"] if row["share_filtered"] > 0.0 else []
            if not np.isnan(row["flip_to_person"]):
                said.append(f"flip probabilities {row['flip_to_person']:.4f} and {row['flip_to_other']:.4f}")
            parts += [f"{title_of(str(model), config['methods'])}: {', '.join(said)}"] if said else []
        if parts:
            wrong = f"{100 * about[kind]['mislabelled']:.1f} % wrong"
            notes.append(f"{config['ner']['labels'][kind]['title']} ({wrong}): {'; '.join(parts)}.")
    return notes


def _failures(scores, labels):
    failed = scores[(scores["status"] != "ok") & scores["labels"].isin(labels)]
    return [f"{row.model} on {row.labels} failed: {row.reason}" for row in failed.itertuples()]


def label_error_table(config: dict[str, Any], rows: pd.DataFrame, is_standin: bool) -> Table:
    """How many of the labels that a method suspects are wrong."""
    ks = [name for name in rows.columns if name.startswith("at_")]
    lines: list[list[Cell]] = []
    groups: list[int] = []
    before = None
    for row in rows.to_dict("records"):
        if row["labels"] != before:
            groups.append(len(lines))
        first, before = row["labels"] != before, row["labels"]
        title = config["ner"]["labels"][row["labels"]]["title"]
        name = title_of(row["ranking"], config["methods"])
        share = f"{row['named_wrong'] / row['named']:.2f}" if row["named"] else "-"
        cells = [Cell("" if np.isnan(row[k]) else f"{row[k]:.2f}") for k in ks]
        lines.append([Cell(title if first else ""), Cell(name), Cell(f"{row['named']:,}"), Cell(share), *cells])
    counts = rows.drop_duplicates("labels")
    wrong = ", ".join(f"{config['ner']['labels'][one.labels]['title']}: {one.wrong:,}" for one in counts.itertuples())
    notes = [
        "named: labels that the method calls wrong (shifted, more likely wrong than not, filtered out, on the wrong "
        "side of the boundary, cleanlab's confident learning); right: the share of them that is wrong indeed; then the "
        "share among the k most suspicious. Equally suspicious examples count in part.",
        f"Wrong labels in all: {wrong}.",
    ]
    caption = f"{STANDIN if is_standin else ''}Which method finds wrong labels? Beside ours: cleanlab."
    head = ["labels", "suspicion by", "named", "right", *(f"{int(k[3:]):,}" for k in ks)]
    return Table(caption, head, lines, 2, groups, notes, rows)


def thinning_table(rows: pd.DataFrame, is_standin: bool) -> Table:
    """Standard and flipping on fewer and fewer features."""
    means = rows.groupby(["share", "features", "model"], sort=False).mean(numeric_only=True).reset_index()
    lines = []
    for share, group in means.groupby("share", sort=False):
        of = group.set_index("model")
        flips = of.loc["flipping"]
        lines.append(
            [
                Cell(f"{100 * share:g} %"),
                Cell(f"{int(flips['features']):,}"),
                Cell(f"{of.loc['standard', 'f1']:.2f}"),
                Cell(f"{flips['f1']:.2f}"),
                Cell(f"{flips['flip_to_person']:.4f}"),
                Cell(f"{flips['flip_to_other']:.4f}"),
            ]
        )
    caption = (
        f"{STANDIN if is_standin else ''}Appendix B: the flipping model on random parts of the features, crowd labels, "
        "means over draws: F1, and the learned probabilities that another word is seen as a person, and the reverse."
    )
    spread = rows[rows["model"] == BASELINE].groupby("share", sort=False)["f1"].agg(["min", "max", "size"])
    listed = [f"{100 * one.Index:g} %: {one.min:.0f} to {one.max:.0f}" for one in spread.itertuples() if one.size > 1]
    notes = [r"$\sigma^2$ is the one chosen with all features."]
    notes += [f"F1 of standard over {spread['size'].max()} draws: {', '.join(listed)}."] if listed else []
    head = ["features kept", "number", "standard F1", "flipping F1", "other to person", "person to other"]
    return Table(caption, head, lines, 2, [0], notes, rows)


def suspect_table(suspects: pd.DataFrame, title: str, is_standin: bool) -> Table:
    """The first suspects in their sentences."""
    shown = suspects.head(SHOWN)
    lines = [
        [
            Cell(str(row.rank)),
            Cell(row.word),
            Cell(row.sentence),
            *(Cell(one) for one in (row.label_given, row.label_suspected, row.label_true)),
            Cell(f"{row.shift:+.2f}"),
        ]
        for row in shown.itertuples(index=False)
    ]
    right = (suspects["label_suspected"] == suspects["label_true"]).mean()
    caption = (
        f"{STANDIN if is_standin else ''}{title}: the {len(shown)} words with the largest shifts, of {len(suspects)}."
    )
    note = f"Of all {len(suspects)} shifted words, {right:.0%} have a wrong label. The word stands in brackets."
    head = ["rank", "word", "sentence", "given", "suspected", "true", "shift"]
    return Table(caption, head, lines, 6, [0], [note] if len(suspects) else [], shown)
