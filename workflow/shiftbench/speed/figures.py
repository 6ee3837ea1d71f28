"""Time against gap, and time against rows; a solver looks the same in all panels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shiftbench.speed.problem import OURS
from shiftbench.speed.results import Row

LEAST_GAP = 1e-14  # rounding; what is below is drawn here
PER_LINE = 3
# Ours is the thick line; the others by colour and marker.
LOOKS: dict[str, dict[str, Any]] = {
    OURS: {"color": "C0", "lw": 2.4, "marker": "o", "ms": 5.0, "zorder": 5},
    "sklearn lbfgs": {"color": "C1", "marker": "s"},
    "sklearn newton-cholesky": {"color": "C2", "marker": "^"},
    "sklearn newton-cg": {"color": "C3", "marker": "v"},
    "glmnet": {"color": "C4", "marker": "D"},
    "adelie": {"color": "C5", "marker": "P"},
    "skglm": {"color": "C6", "marker": "X"},
    "liblinear -s 0": {"color": "C2", "marker": "<", "ls": "--"},
    "liblinear -s 7": {"color": "C4", "marker": ">", "ls": "--"},
    "liblinear -s 3": {"color": "C1", "marker": "d", "ls": "--"},
    "sklearn LinearSVC": {"color": "C5", "marker": "h", "ls": "--"},
    "scipy L-BFGS": {"color": "C3", "marker": "*", "ls": "--"},
}
OTHERS = {"color": "0.5", "marker": "."}


def time_against_gap(curves: Sequence[Row], folder: Path) -> list[Path]:
    """A panel for each problem: the seconds in which a solver reaches a gap, at any of its tolerances that was tried.

    The goal is a dotted line.
    """

    def draw(axes, rows, looks):
        axes.plot(*zip(*least_times(rows), strict=True), label=rows[0]["solver"], **looks)
        axes.axvline(rows[0]["goal"], color="0.2", lw=1.0, ls=":", zorder=1)

    def finish(axes):
        if not axes.xaxis_inverted():
            axes.invert_xaxis()

    labels = "relative gap (better to the right)", "seconds"
    return _panels(curves, "problem", draw, finish, labels, folder / "time_against_gap")


def least_times(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """(Gap, seconds) of the points that no other one beats in both, from the largest gap to the least."""
    kept: list[tuple[float, float]] = []
    for gap, seconds in sorted((max(row["gap"], LEAST_GAP), row["seconds"]) for row in rows):
        if not kept or seconds < kept[-1][1]:
            kept.append((gap, seconds))
    return kept[::-1]


def time_against_rows(times: Sequence[Row], folder: Path) -> list[Path]:
    """A panel for each family; the legend of each panel gives the exponents."""

    def draw(axes, rows, looks):
        rows = [row for row in rows if row["seconds"] is not None]
        if rows:
            exponent = rows[0].get("exponent")
            label = rows[0]["solver"] if exponent is None else f"{rows[0]['solver']}, rows$^{{{exponent:.2f}}}$"
            axes.plot([row["rows"] for row in rows], [row["seconds"] for row in rows], label=label, **looks)

    def finish(axes):
        axes.xaxis.set_minor_formatter("")
        axes.legend(loc="upper left", fontsize=7)
        low, high = axes.get_ylim()
        axes.set_ylim(low, high * (high / low) ** 0.35)  # room for the legend

    return _panels(times, "family", draw, finish, ("rows", "seconds"), folder / "time_against_rows", has_legend=False)


def _panels(frame, key, draw, finish, labels, path, has_legend=True):
    """Log-log panels side by side, with one legend below all of them; no file where there is nothing to show."""
    names = list(dict.fromkeys(row[key] for row in frame))
    if not names:
        return []
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from shiftbench.present.style import save, style

    columns = min(PER_LINE if has_legend else 2, len(names))
    lines = -(-len(names) // columns)
    with style():
        figure, grid = plt.subplots(lines, columns, figsize=(2.9 * columns + 0.3, 2.3 * lines + 0.6), squeeze=False)
        for axes in grid.flat[len(names) :]:
            axes.set_visible(False)
        handles: dict[str, Any] = {}
        for axes, name in zip(grid.flat, names, strict=False):
            mine = [row for row in frame if row[key] == name]
            axes.set(xscale="log", yscale="log", title=mine[0]["title"])
            axes.title.set_fontsize(8)
            axes.grid(True, color="0.92", lw=0.6)
            axes.set_axisbelow(True)
            for solver in dict.fromkeys(row["solver"] for row in mine):
                looks = {"lw": 1.3, "ms": 4.5, **LOOKS.get(solver, OTHERS)}
                draw(axes, [row for row in mine if row["solver"] == solver], looks)
            finish(axes)
            handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        figure.supxlabel(labels[0], fontsize=9)
        figure.supylabel(labels[1], fontsize=9)
        if has_legend:
            figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=min(5, len(handles)))
        paths = [path.with_suffix(suffix) for suffix in (".png", ".pdf")]
        save(figure, *paths)
    return paths
