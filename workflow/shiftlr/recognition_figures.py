"""Figures of named-entity recognition: precision against recall, F1 against label noise, and which labels are wrong.

A method looks the same in all of them. Curves may coincide, as flipping often does with standard logistic regression:
this one is drawn first and wide, and the others are dashed over it.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator
from sklearn.metrics import precision_recall_curve

from shiftlr.evaluation import Models
from shiftlr.figures import BLUE, GREEN, GREY, VERMILLION, style
from shiftlr.metrics import scores

NOISES = {"uniform": "every label flipped with the same chance", "systematic": "all labels of some words flipped"}
RANKINGS = ("standard", "robust", "flipping", "cleanlab")  # those that `label_errors_figure` compares

_ORANGE, _PURPLE, _SKY, _BLACK = "C3", "C4", "C5", "C6"
_LOOKS: dict[str, dict[str, Any]] = {
    "standard": {"color": GREEN, "ls": "-", "lw": 3.0, "marker": "o", "ms": 7.5},
    "robust": {"color": BLUE, "ls": "-", "marker": "s", "ms": 4.5},
    "robust_folds": {"color": _SKY, "ls": (0, (1, 1)), "marker": "d", "ms": 5.0},
    "robust_held_out": {"color": _SKY, "ls": (0, (1, 1)), "marker": "d", "ms": 5.0},
    "robust_share": {"color": BLUE, "ls": (0, (4, 1)), "marker": "s", "ms": 4.5},
    "svm": {"color": _ORANGE, "ls": (0, (6, 1, 1, 1)), "marker": "v", "ms": 6.0},
    # the dashes of these two fill each other's gaps
    "flipping": {"color": VERMILLION, "ls": (0, (3, 5)), "marker": "+", "ms": 7.0, "mew": 1.4},
    "prefilter": {"color": _PURPLE, "ls": (4, (3, 5)), "marker": "x", "ms": 5.5, "mew": 1.4},
    "cleanlab": {"color": GREY, "ls": (0, (5, 1.5)), "marker": "^", "ms": 5.0},
}
_RIVAL_COLOURS = (_BLACK, "#7A4B1E", "0.35")
_RIVAL_DASHES = ((0, (2, 1)), (0, (7, 2, 2, 2)), (0, (1, 2)), (0, (9, 2)))
_RIVAL_MARKERS = "*ph<>"


class Panel(NamedTuple):
    """How the models do that were trained on one set of labels."""

    title: str
    truth: np.ndarray  # over the words of the test set: 1 is a person
    decisions: dict[str, np.ndarray]  # of each model, positive where it says person
    f1: dict[str, float]  # per cent


def panel(title: str, truth: np.ndarray, models: Models) -> Panel:
    """A panel with all models that could be fitted."""
    fitted = {name: about for name, about in models.about.items() if about["status"] == "ok"}
    decisions = {name: models.arrays[f"{name}.test"] for name in fitted}
    return Panel(title, truth, decisions, {name: about["f1"] for name, about in fitted.items()})


def figure3(
    panels: Mapping[str, Panel],
    is_standin: Mapping[str, bool],
    titles: Mapping[str, str] | None = None,
    without: Collection[str] = (),
) -> Figure:
    """Figure 3: precision against recall on the test set, marked where the decision is 0, as in the tables.

    `titles` are of the models, and those `without` are left out; other arguments are by set of labels.
    """
    shown = {key: [name for name in panel.decisions if name not in without] for key, panel in panels.items()}
    looks = _looks(name for names in shown.values() for name in names)
    curves = {
        (key, name): precision_recall_curve(panel.truth, panel.decisions[name], drop_intermediate=True)[:2]
        for key, panel in panels.items()
        for name in shown[key]
    }
    points = {(key, name): _at_zero(panels[key], name) for key, name in curves}
    left, bottom = _corner(list(points.values()))
    with style():
        figure = Figure(figsize=(7.2, 3.9))
        grid = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
        for axes, (key, panel) in zip(grid, panels.items(), strict=True):
            marks = []
            for name in looks:
                if name in shown[key]:
                    precision, recall = curves[key, name]
                    axes.plot(recall, precision, **looks[name] | {"marker": ""})
                    mark = looks[name] | {
                        "ls": "",
                        "zorder": looks[name]["zorder"] + 1.0,
                        "label": f"{panel.f1[name]:.1f}",
                    }
                    marks += axes.plot(*points[key, name], **mark)
            lowest = min((_lowest(curves[key, name], left) for name in shown[key]), default=1.0)
            corner = "lower left" if lowest > (1.0 + bottom) / 2.0 else "upper right"
            axes.legend(handles=marks, title="F1 at the mark, %", title_fontsize=8, loc=corner)
            axes.set(xlabel="recall", xlim=(left, 1.0), ylim=(bottom, 1.0))
            _entitle(axes, panel.title, is_standin.get(key, False))
        grid[0].set_ylabel("precision")
        _share_legend(figure, looks, titles)
    return figure


def noise_figure(curve: pd.DataFrame, titles: Mapping[str, str] | None = None, is_standin: bool = False) -> Figure:
    """F1 on the test set against the share of training labels that were flipped, a panel for each way to flip them."""
    looks = _looks(curve["model"])
    kinds = [kind for kind in NOISES if (curve["kind"] == kind).any()]
    with style():
        figure = Figure(figsize=(7.2, 3.6))
        grid = figure.subplots(1, len(kinds), sharex=True, sharey=True, squeeze=False)[0]
        for axes, kind in zip(grid, kinds, strict=True):
            of_kind = curve[curve["kind"] == kind].sort_values("share")
            for name in looks:
                mine = of_kind[of_kind["model"] == name]
                axes.plot(100.0 * mine["share"], mine["f1"], **looks[name])
            axes.set_xlabel("flipped training labels, %")
            _entitle(axes, NOISES[kind], is_standin)
        grid[0].set_ylabel("F1 on the test set, %")
        _share_legend(figure, looks, titles)
    return figure


def label_errors_figure(
    rows: pd.DataFrame,
    titles: Mapping[str, str] | None = None,
    panel_titles: Mapping[str, str] | None = None,
    is_standin: Mapping[str, bool] | None = None,
) -> Figure:
    """Share of wrong labels among the k most suspicious ones, a panel for each set of labels.

    `rows` as from `shiftlr.label_errors.compare_rankings`; a column `n`, the number of labels, adds the share of wrong
    labels among all. The robust model does not rank what it does not shift, so its curve ends there. `titles` are of
    the rankings, the other arguments by set of labels.
    """
    rows = rows[rows["ranking"].isin(RANKINGS)]
    ks = sorted(int(name.removeprefix("at_")) for name in rows.columns if name.startswith("at_"))
    looks = _looks(rows["ranking"])
    base = Line2D([], [], color="black", lw=0.8, ls=":", label="among all labels")
    with style():
        figure = Figure(figsize=(7.2, 3.4))
        kinds = list(dict.fromkeys(rows["labels"]))
        grid = figure.subplots(1, len(kinds), sharex=True, sharey=True, squeeze=False)[0]
        for axes, kind in zip(grid, kinds, strict=True):
            of_kind = rows[rows["labels"] == kind].set_index("ranking")
            for name in looks:
                if name in of_kind.index:
                    axes.plot(*_precisions(of_kind.loc[name], ks, ends=name == "robust"), **looks[name], clip_on=False)
            if "n" in rows.columns:
                share = of_kind["wrong"].iloc[0] / of_kind["n"].iloc[0]
                axes.axhline(share, color=base.get_color(), lw=base.get_linewidth(), ls=base.get_linestyle())
            axes.set(xscale="log", xlabel="$k$", ylim=(0.0, 1.0))
            axes.set_xticks(ks, [str(k) for k in ks])
            axes.xaxis.set_minor_locator(NullLocator())
            _entitle(axes, (panel_titles or {}).get(kind, kind), (is_standin or {}).get(kind, False))
        grid[0].set_ylabel("share of wrong labels\namong the first $k$")
        _share_legend(figure, looks, titles, [base] if "n" in rows.columns else [])
    return figure


def _looks(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """How each model is drawn, in the order of drawing; models without a look of their own share what is left."""
    present = list(dict.fromkeys(names))
    rivals = sorted(name for name in present if name not in _LOOKS)
    looks = {name: look for name, look in _LOOKS.items() if name in present}
    for i, name in enumerate(rivals):
        colour, dashes = _RIVAL_COLOURS[i % len(_RIVAL_COLOURS)], _RIVAL_DASHES[i % len(_RIVAL_DASHES)]
        looks[name] = {"color": colour, "ls": dashes, "marker": _RIVAL_MARKERS[i % len(_RIVAL_MARKERS)], "ms": 5.5}
    return {name: {"lw": 1.5, "zorder": 2.0 + 0.01 * i} | look for i, (name, look) in enumerate(looks.items())}


def _at_zero(panel, name):
    """(recall, precision) of the words that a model calls persons."""
    found = scores(panel.decisions[name] > 0.0, panel.truth == 1)
    return found.recall / 100.0, found.precision / 100.0


def _corner(points):
    """Where the axes begin: far enough below the marks to see the curves bend."""
    lowest = np.nanmin(points, axis=0) if points else np.ones(2)
    left, bottom = np.clip(np.floor(10.0 * (lowest - (0.25, 0.35)) + 1e-9) / 10.0, 0.0, None)
    return float(left), float(bottom)


def _lowest(curve, left):
    """The least precision in the left half of the axes."""
    precision, recall = curve
    return float(np.min(precision[(recall >= left) & (recall <= (1.0 + left) / 2.0)], initial=1.0))


def _precisions(row, ks, ends):
    """(ks, precision at each); what `ends` stops at the last example that it names."""
    known = {k: row[f"at_{k}"] for k in ks if pd.notna(row[f"at_{k}"])}
    if ends:
        named = int(row["named"])
        if 0 < named < max(known, default=0):
            known = {k: value for k, value in known.items() if k < named} | {named: row["named_wrong"] / named}
        elif named == 0:
            known = {}
    return list(known), list(known.values())


def _entitle(axes: Axes, title: str, is_standin: bool) -> None:
    if is_standin:
        axes.set_title(f"{title}\n(stand-in data)", color=VERMILLION)
    else:
        axes.set_title(title)


def _share_legend(figure, looks, titles, more=()):
    """One legend of all panels, above them, in as few rows as the width allows."""
    handles = []
    for name, look in looks.items():
        dashes = look["ls"] if isinstance(look["ls"], str) else (0, look["ls"][1])  # from the first dash on
        handles.append(Line2D([], [], **look | {"ls": dashes}, label=(titles or {}).get(name, name)))
    handles += more
    for rows in range(1, len(handles) + 1):
        ncols = math.ceil(len(handles) / rows)
        legend = figure.legend(handles=handles, loc="outside upper center", ncols=ncols, handlelength=3.6)
        if ncols == 1 or legend.get_window_extent().width <= figure.bbox.width:
            break
        legend.remove()
    figure.get_layout_engine().set(wspace=0.05)
