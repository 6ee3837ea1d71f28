"""Precision, recall and F1 of each method, its gain over the baseline, and the published scores (Tables 4, 5 and 8)."""

from typing import Any

import numpy as np
import pandas as pd

from shiftbench.analyses.bootstrap import difference
from shiftbench.config.plan import tuning_of
from shiftbench.counts import SCORES
from shiftbench.present.context import Context, Place
from shiftbench.present.table import Cell, Table, means_over, number, signed
from shiftbench.present.tables import base
from shiftbench.runs import DATA

SETTINGS = {"methods": None}  # what it takes from its entry in the config, beside what all tables have

COLUMNS = ("labels", "model", "precision", "recall", "f1", "published_f1", "data")  # of the CSV, in this order
ERRORS = (*(f"{score}_se" for score in SCORES), "gain", "gain_low", "gain_high", "replicates", "failed")
CAPTION = (
    "Precision, recall and F1 of the positive class, with the published scores on the right. They come from other "
    "data, so that they are not compared."
)
_OTHER_DATA = "Other data than the report's: its Wikipedia set was never published, and its annotator is not to be had."


def build(context: Context) -> Table:
    """One line per scenario and method."""
    lines: list[list[Cell]] = []
    records: list[dict[str, Any]] = []
    groups = []
    report = base.published_numbers(context)
    for place in context.scenarios():
        found = [_record(context, place, method) for method in context.methods(*place)]
        best = max((one["f1"] for one in found if not np.isnan(one["f1"])), default=np.nan)
        is_noisy = _share_wrong(context, place) > 0.0  # the report has no scores after training on true labels
        groups.append(len(lines))
        for record in found:
            theirs = [report.get((record["model"], score), np.nan) if is_noisy else np.nan for score in SCORES]
            first = len(lines) == groups[-1]
            keys = [Cell(context.about(*place)["title"] if first else "")]
            keys.append(Cell(context.title_of(place[0], record["model"])))
            gain = signed(record["gain"], record["gain_low"], record["gain_high"])
            published = [Cell("" if np.isnan(one) else f"{one:.2f}") for one in theirs]
            is_best = record["f1"] == best and not any(line[4].bold for line in lines[groups[-1] :])
            lines.append([*keys, *_cells(record, is_best), Cell(gain), *published])
            records.append(record | {"published_f1": theirs[2]})
    head = ["labels", "model", "precision", "recall", "F1", "gain", "report P", "R", "F1"]
    data = pd.DataFrame(records, columns=[*COLUMNS, *ERRORS])
    return Table(context.caption(more="; test set, in per cent."), head, lines, 2, groups, _notes(context), data)


def _record(context: Context, place: Place, method: str) -> dict[str, Any]:
    record: dict[str, Any] = {"labels": place[1], "model": method, "data": context.origin(*place, method)}
    for score in SCORES:
        found = context.estimate(f"{place[0]}.{place[1]}:{method}:{score}")
        record |= {score: found.value if found else np.nan, f"{score}_se": found.se if found else np.nan}
    gain = None if method == base.BASELINE else _gain(context, place, method)
    record |= dict(zip(("gain", "gain_low", "gain_high"), gain or [np.nan] * 3, strict=True))
    succeeded, failed, _ = context.failures(*place, method)
    return record | {"replicates": succeeded, "failed": failed}


def _gain(context: Context, place: Place, method: str) -> tuple[float, float, float] | None:
    """(difference in F1, ends of its interval): by the bootstrap, or over replicates with test sets of their own."""
    found = difference(context.runs, *place, method, base.BASELINE, "f1", context.config["resamples"])
    if found is not None:
        return found.value, found.low, found.high
    name = f"{place[0]}.{place[1]}"
    over_replicates = context.estimate(f"{name}:{method}:f1 - {name}:{base.BASELINE}:f1")
    return None if over_replicates is None else (over_replicates.value, *over_replicates.interval())


def _cells(record, is_best):
    if np.isnan(record["f1"]):
        return [Cell("failed" if record["failed"] else "-"), Cell(""), Cell("")]
    mark = "†" if record["failed"] else ""
    cells = [Cell(number(record[score], record[f"{score}_se"], digits=2) + mark) for score in SCORES]
    return [*cells[:2], cells[2]._replace(bold=is_best)]


def _share_wrong(context, place):
    """The mean share of wrong labels; all labels may be wrong where that is not known."""
    known = context.runs.values(*place, DATA, "mislabelled")
    return float(known.mean()) if len(known) else 1.0


def _notes(context):
    notes = [
        f"{means_over(context.replicates())} gain: F1 less that of {base.BASELINE}, with the 95 % interval of "
        f"{context.config['resamples']} bootstrap resamples of the test set's groups (articles) and of the spread over "
        "replicates." + (" Last: the report's precision, recall and F1." if len(context.published) else "")
    ]
    if "other" in context.origins() and len(context.published):
        notes.append(_OTHER_DATA)
    notes.append(_rules(context))
    notes += [note for place in context.scenarios() for note in _chosen(context, place)]
    return notes + [note for place in context.scenarios() for note in _failed(context, place)]


def _rules(context: Context) -> str:
    """How settings are chosen."""
    tunings = {
        (context.title_of(place[0], method)): (tuning_of(context.config, *place, method), place)
        for place in context.scenarios()
        for method in context.methods(*place)
        if not context.about(*place)["params_from"]
    }
    ways = {
        "folds": "by cross-validation on the noisy labels",
        "dev": "on a noisy development set",
        "none": "not at all",
    }
    used = dict.fromkeys(ways[tuning["by"]] for tuning, _ in tunings.values())
    once = all(not tuning["each"] for tuning, _ in tunings.values())
    note = f"Settings are chosen {' or '.join(used)}{', in the first replicate' if once else ''}."
    told = [
        title
        for title, (tuning, _) in tunings.items()
        if tuning["limit"] is not None and tuning["limit"]["about"] == "wrong_labels"
    ]
    if told:
        note += (
            f" {' and '.join(told)}: among those that suspect about as many examples as there are wrong labels, which "
            "this rule is told, as in the report; the other methods are not."
        )
    return note


def _chosen(context: Context, place: Place) -> list[str]:
    """A note on a scenario: the parameters that were chosen first, and what was learned beside the weights."""
    parts = []
    for method in context.methods(*place):
        if not context.failures(*place, method)[0]:
            continue
        params = base.chosen(context, *place, method)
        chooser = tuning_of(context.config, *place, method)["alpha_from"]
        sigma2 = params.pop(r"$\sigma^2$", None)
        if sigma2 is not None and chooser == method:  # the others take it over
            parts.append(base.said({r"$\sigma^2$": sigma2}))
        elif sigma2 is not None and chooser is None:
            params = {r"$\sigma^2$": sigma2} | params
        said = [base.said(params)] if params else []
        share, flips = (
            _means(context, place, method, *names) for names in (["share_suspected"], ["flip_p0", "flip_p1"])
        )
        said += [f"{100 * share[0]:.1f} % suspected"] if share and share[0] > 0.0 else []
        said += [f"flip probabilities {flips[0]:.4f} and {flips[1]:.4f}"] if flips else []
        parts += [f"{context.title_of(place[0], method)}: {', '.join(said)}"] if said else []
    wrong = _means(context, place, DATA, "mislabelled")
    known = f" ({100 * wrong[0]:.1f} % wrong)" if wrong else ""
    return [f"{context.about(*place)['title']}{known}: {'; '.join(parts)}."] if parts else []


def _means(context, place, method, *metrics):
    found = [context.runs.values(*place, method, metric) for metric in metrics]
    return [float(values.mean()) for values in found] if all(len(values) for values in found) else None


def _failed(context, place):
    notes = []
    for method in context.methods(*place):
        succeeded, failed, reason = context.failures(*place, method)
        if failed:
            count = f" in {failed} of {succeeded + failed} replicates" if succeeded else ""
            notes.append(f"{context.title_of(place[0], method)} on {place[1]}{count} failed: {reason}")
    return notes
