"""The look of all figures: the style file, colours, how each method is drawn, and how a figure is saved.

A method looks the same in all figures. Curves may coincide, as flipping often does with standard logistic regression:
this one is drawn first and wide, and the others are dashed over it.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from shiftbench.files import atomic_write

STYLE = Path(__file__).parents[2] / "report" / "shiftlr.mplstyle"
# of the style's colour cycle
BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, BLACK = (f"C{k}" for k in range(7))
GREY = "0.55"
BROWN, OLIVE = "#7A4B1E", "#8A8A00"

# How methods are drawn, in the order of drawing.
LOOKS: dict[str, dict[str, Any]] = {
    "standard": {"color": GREEN, "ls": "-", "lw": 3.0, "marker": "o", "ms": 7.5},
    "robust": {"color": BLUE, "ls": "-", "marker": "s", "ms": 4.5},
    "robust_folds": {"color": SKY, "ls": (0, (1, 1)), "marker": "d", "ms": 5.0},
    "robust_held_out": {"color": SKY, "ls": (0, (1, 1)), "marker": "d", "ms": 5.0},
    "robust_share": {"color": BLUE, "ls": (0, (4, 1)), "marker": "s", "ms": 4.5},
    "svm": {"color": ORANGE, "ls": (0, (6, 1, 1, 1)), "marker": "v", "ms": 6.0},
    # the dashes of these two fill each other's gaps
    "flipping": {"color": VERMILLION, "ls": (0, (3, 5)), "marker": "+", "ms": 7.0, "mew": 1.4},
    "prefilter": {"color": PURPLE, "ls": (4, (3, 5)), "marker": "x", "ms": 5.5, "mew": 1.4},
    # rules of prefiltering; those that know what no user does are black
    "prefilter_majority": {"color": VERMILLION, "ls": "-", "marker": "s", "ms": 4.0},
    "prefilter_all": {"color": GREEN, "ls": (0, (2, 1)), "marker": "d", "ms": 4.5},
    "prefilter_prior": {"color": ORANGE, "ls": (0, (6, 1, 1, 1)), "marker": "v", "ms": 4.5},
    "prefilter_positives": {"color": BLUE, "ls": "-", "marker": "^", "ms": 4.5},
    "prefilter_oracle": {"color": BLACK, "ls": (0, (1, 1)), "marker": "o", "ms": 4.0, "mfc": "white"},
    "prefilter_oracle_positives": {"color": BLACK, "ls": "-", "marker": "o", "ms": 4.0},
    "confident_learning": {"color": GREY, "ls": (0, (5, 1.5)), "marker": "^", "ms": 5.0},
    # shifts of many classes
    "robust_group": {"color": SKY, "ls": (0, (5, 1.5)), "marker": "D", "ms": 4.0},
    "robust_one_vs_all": {"color": ORANGE, "ls": (0, (6, 1, 1, 1)), "marker": "^", "ms": 5.0},
    # rivals with bounded losses
    "hard_shifts": {"color": BLACK, "ls": "-", "marker": "*", "ms": 7.0},
    "gce": {"color": SKY, "ls": (0, (4, 1)), "marker": "o", "ms": 5.0},
    "least_trimmed": {"color": BROWN, "ls": (0, (1, 1)), "marker": "<", "ms": 5.0},
    "bi_tempered": {"color": GREY, "ls": (0, (5, 1.5)), "marker": "D", "ms": 4.0},
    "bianco_yohai": {"color": OLIVE, "ls": (0, (6, 1, 1, 1)), "marker": "^", "ms": 5.0},
}
# Those without a look of their own share these.
_RIVAL_COLOURS = (BLACK, BROWN, "0.35")
_RIVAL_DASHES = ((0, (2, 1)), (0, (7, 2, 2, 2)), (0, (1, 2)), (0, (9, 2)))
_RIVAL_MARKERS = "*ph<>"

# Whatever would differ from run to run or between versions of matplotlib.
_NO_STAMPS: dict[str, dict[str, None]] = {
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
}


def style():
    """The style file over matplotlib's own defaults, so that nobody's personal settings show."""
    return plt.style.context(STYLE, after_reset=True)


def looks_of(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """How each method is drawn, as arguments of `plot`, in the order of drawing."""
    present = list(dict.fromkeys(names))
    looks = {name: look for name, look in LOOKS.items() if name in present}
    for i, name in enumerate(sorted(name for name in present if name not in LOOKS)):
        colour, dashes = _RIVAL_COLOURS[i % len(_RIVAL_COLOURS)], _RIVAL_DASHES[i % len(_RIVAL_DASHES)]
        looks[name] = {"color": colour, "ls": dashes, "marker": _RIVAL_MARKERS[i % len(_RIVAL_MARKERS)], "ms": 5.5}
    return {name: {"lw": 1.5, "zorder": 2.0 + 0.01 * i} | look for i, (name, look) in enumerate(looks.items())}


def save(figure, *paths: str | Path) -> None:
    """Write the figure to each path, whose suffix says the format, and close it.

    A file is either complete or not there, and the same figure gives the same bytes at any time.
    """
    targets = [Path(path) for path in paths]
    for path in targets:
        if path.suffix not in _NO_STAMPS:
            raise ValueError(f"{path}: a figure is saved as one of {', '.join(_NO_STAMPS)}")
    for path in targets:
        with atomic_write(path) as partial, style():
            figure.savefig(partial, format=path.suffix[1:], metadata=_NO_STAMPS[path.suffix])
    plt.close(figure)
