"""The report's figures: masking and swamping, a fit in one dimension, and the plate diagram of the flipping model.

What a figure shows is computed by a function of its own (`simulate_masking`, `fit_one_dimension`) and only then drawn.
"""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch
from scipy.special import expit
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant

from shiftlr.files import whole
from shiftlr.methods.robust import RobustLogisticRegression
from shiftlr.methods.standard import StandardLogisticRegression
from shiftlr.tuning import lam_grid, tune_on_dev
from shiftlr.validation import check_number

STYLE = Path(__file__).parents[1] / "report" / "shiftlr.mplstyle"
BLUE, VERMILLION, GREEN = "C0", "C1", "C2"  # of the style's colour cycle
GREY = "0.55"

SUSPICIOUS = 2.0  # studentised residuals beyond this make an example look like an outlier
LAMS = tuple(np.geomspace(0.01, 1.0, 40).tolist())

# Whatever would differ from run to run or between versions of matplotlib.
_NO_STAMPS: dict[str, dict[str, None]] = {
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
}


def style():
    """The style file over matplotlib's own defaults, so that nobody's personal settings show."""
    return plt.style.context(STYLE, after_reset=True)


class Masking(NamedTuple):
    """Data with a cluster of outliers, and how suspicious each example looks beside a line fitted to all of them."""

    x: np.ndarray
    y: np.ndarray
    is_outlier: np.ndarray
    line: np.ndarray  # (intercept, slope) of least squares on everything
    clean_line: np.ndarray  # and on the clean examples only
    residuals: np.ndarray  # |studentised residual| beside `line`
    clean_residuals: np.ndarray  # of the clean examples, beside `clean_line`
    spread: float  # estimated standard deviation of the noise around `line`

    @property
    def masked(self):
        """Outliers that do not look suspicious."""
        return self.is_outlier & (self.residuals <= SUSPICIOUS)

    @property
    def swamped(self):
        """Clean examples that look suspicious beside the line through everything but not beside that of the clean."""
        swamped = ~self.is_outlier & (self.residuals > SUSPICIOUS)
        swamped[~self.is_outlier] &= self.clean_residuals <= SUSPICIOUS
        return swamped

    def unsuspicious(self, x):
        """Distance from `line` at which an example at x has a studentised residual of SUSPICIOUS."""
        leverage = 1.0 / len(self.x) + (x - self.x.mean()) ** 2 / np.sum((self.x - self.x.mean()) ** 2)
        return SUSPICIOUS * self.spread * np.sqrt(np.maximum(1.0 - leverage, 0.0))


def simulate_masking(seed=1, clean=40, outliers=8, noise=1.0, centre=(10.0, 2.0), scatter=0.4):
    """Clean examples around y = 1 + x, outliers in a cluster at `centre`, and least squares with and without these.

    Residuals are studentised internally, with one estimate of the noise for all examples, so that those beyond
    SUSPICIOUS are just the ones outside of a band around the line.
    """
    clean = check_number("clean", clean, at_least=3, integer=True)
    outliers = check_number("outliers", outliers, at_least=1, integer=True)
    rng = np.random.default_rng(check_number("seed", seed, at_least=0, integer=True))
    clean_x = rng.normal(4.0, 1.5, clean)
    x = np.concatenate([clean_x, rng.normal(centre[0], scatter, outliers)])
    y = np.concatenate([1.0 + clean_x + rng.normal(0.0, noise, clean), rng.normal(centre[1], scatter, outliers)])
    is_outlier = np.arange(clean + outliers) >= clean
    everything = OLS(y, add_constant(x)).fit()
    clean_only = OLS(y[:clean], add_constant(clean_x)).fit()
    return Masking(
        x,
        y,
        is_outlier,
        everything.params,
        clean_only.params,
        np.abs(everything.get_influence().resid_studentized_internal),
        np.abs(clean_only.get_influence().resid_studentized_internal),
        float(np.sqrt(everything.mse_resid)),
    )


def masking(**settings):
    """Figure 1: outliers that mask each other, and clean examples that look like outliers because of them.

    Ringed are the clean examples that are `swamped`; settings as in `simulate_masking`.
    """
    data = simulate_masking(**settings)
    grid = np.linspace(data.x.min() - 0.4, data.x.max() + 0.4, 200)
    half = data.unsuspicious(grid)
    fitted = data.line[0] + data.line[1] * grid
    clean, outlier, ringed = ~data.is_outlier, data.is_outlier, data.swamped
    masked = f"outlier ({data.masked.sum()} of {outlier.sum()} masked)"
    swamped = f"swamped clean example ({ringed.sum()} of {clean.sum()})"
    with style():
        figure = Figure()
        axes = figure.subplots()
        band = f"|studentised residual| up to {SUSPICIOUS:g}"
        axes.fill_between(grid, fitted - half, fitted + half, color="0.92", linewidth=0, label=band)
        axes.plot(grid, fitted, color="black", label="least squares on all examples")
        clean_fit = data.clean_line[0] + data.clean_line[1] * grid
        axes.plot(grid, clean_fit, "--", color=GREY, label="least squares on clean examples")
        axes.plot(data.x[clean], data.y[clean], "o", color=BLUE, label="clean example")
        axes.plot(data.x[outlier], data.y[outlier], "^", color=VERMILLION, markersize=5.5, label=masked)
        axes.plot(data.x[ringed], data.y[ringed], "o", mfc="none", mec="black", markersize=9, label=swamped)
        axes.set(xlabel="$x$", ylabel="$y$", xlim=(grid[0], grid[-1]))
        figure.legend(loc="outside upper center", ncols=2)
    return figure


class OneDimension(NamedTuple):
    """Noisy labels of one feature, and the sigmoids that generated and were fitted to them."""

    x: np.ndarray
    y: np.ndarray
    is_flipped: np.ndarray
    lam: float  # chosen on the development set
    grid: np.ndarray
    true: np.ndarray  # probabilities of a positive label over the grid
    standard: np.ndarray
    robust: np.ndarray

    def distance(self, fitted):
        """Mean absolute difference between a fitted sigmoid and the true one."""
        return float(np.mean(np.abs(fitted - self.true)))


def fit_one_dimension(seed=2, n=500, p0=0.2, slope=2.0, lams=LAMS):
    """Fit both models to labels whose negatives were flipped with probability p0.

    As in the report's simulations the features are Uniform(-5, 5), the intercept is zero, the development set is as
    large and as noisy as the training set, and `lam` is the one with the least 0-1 loss on it.
    """
    n = check_number("n", n, at_least=2, integer=True)
    p0 = check_number("p0", p0, at_least=0.0, at_most=1.0)
    slope = check_number("slope", slope)
    rng = np.random.default_rng(check_number("seed", seed, at_least=0, integer=True))
    x, y, is_flipped = _noisy_labels(rng, n, p0, slope)
    x_dev, y_dev, _ = _noisy_labels(rng, n, p0, slope)
    standard = StandardLogisticRegression().fit(x, y)
    tuned = tune_on_dev(RobustLogisticRegression(), lam_grid(lams), x, y, x_dev, y_dev)
    grid = np.linspace(-5.0, 5.0, 401)
    fits = (model.predict_proba(grid[:, None])[:, 1] for model in (standard, tuned.estimator))
    return OneDimension(x.ravel(), y, is_flipped, tuned.params["lam"], grid, expit(slope * grid), *fits)


def _noisy_labels(rng, n, p0, slope):
    """(Features, labels seen, which of them were flipped)."""
    x = rng.uniform(-5.0, 5.0, (n, 1))
    y = rng.random(n) < expit(slope * x.ravel())
    is_flipped = ~y & (rng.random(n) < p0)
    return x, (y | is_flipped).astype(int), is_flipped


def one_dimension(**settings):
    """Figure 2: the standard and the robust fit beside the sigmoid behind the data; settings: `fit_one_dimension`."""
    data = fit_one_dimension(**settings)
    # Examples lie beyond 0 and 1, where no curve runs; their scatter must not depend on the data's random numbers.
    height = data.y + np.where(data.y == 1, 1.0, -1.0) * np.random.default_rng(0).uniform(0.04, 0.12, len(data.y))
    kept, flipped = ~data.is_flipped, data.is_flipped
    with style():
        figure = Figure()
        axes = figure.subplots()
        axes.plot(data.grid, data.true, "--", color="black", label="true sigmoid", zorder=3)
        axes.plot(data.grid, data.standard, color=GREEN, label="standard logistic regression")
        axes.plot(data.grid, data.robust, color=BLUE, label=rf"robust logistic regression, $\lambda = {data.lam:.2g}$")
        axes.plot(data.x[kept], height[kept], "o", color=GREY, markersize=2.2, mew=0, label="example")
        axes.plot(data.x[flipped], height[flipped], "x", color=VERMILLION, markersize=4, label="example, label flipped")
        axes.set(xlabel="$x$", ylabel="probability that $y = 1$", xlim=(-5.1, 5.1), ylim=(-0.15, 1.15))
        axes.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
        figure.legend(loc="outside upper center", ncols=2)
    return figure


def plate():
    """Plate diagram of the label-flipping model: shaded nodes are observed, dots are parameters."""
    places = {"x": (0.0, 0.0), "z": (2.0, 0.0), "y": (4.0, 0.0), "theta": (2.0, 1.6), "gamma": (4.0, 1.6)}
    radii = {"x": 0.36, "z": 0.36, "y": 0.36, "theta": 0.07, "gamma": 0.07}
    with style():
        figure = Figure(figsize=(4.4, 2.6))
        axes = figure.subplots()
        axes.add_patch(FancyBboxPatch((-0.8, -1.2), 5.6, 1.95, "round,pad=0,rounding_size=0.15", fill=False))
        axes.text(4.65, -1.08, r"$i = 1, \ldots, n$", ha="right", va="bottom")
        for name, fill in (("x", "0.85"), ("z", "white"), ("y", "0.85"), ("theta", "black"), ("gamma", "black")):
            axes.add_patch(Circle(places[name], radii[name], facecolor=fill, edgecolor="black", zorder=2))
        for name, meaning in (("x", "features"), ("z", "true label"), ("y", "label seen")):
            axes.text(*places[name], f"${name}^{{(i)}}$", ha="center", va="center", fontsize=11)
            axes.text(places[name][0], -0.44, meaning, ha="center", va="top", fontsize=7.5)
        for name, meaning in (("theta", "weights"), ("gamma", "flipping probabilities")):
            x, y = places[name]
            axes.text(x + 0.17, y, rf"$\{name}$", ha="left", va="center", fontsize=11)
            axes.text(x, y + 0.18, meaning, ha="center", va="bottom", fontsize=7.5)
        for tail, head in (("x", "z"), ("theta", "z"), ("z", "y"), ("gamma", "y")):
            axes.add_patch(_arrow(places[tail], radii[tail], places[head], radii[head]))
        axes.set(xlim=(-0.9, 5.0), ylim=(-1.3, 2.15), aspect="equal")
        axes.set_axis_off()
    return figure


def _arrow(tail, tail_radius, head, head_radius):
    """An arrow from the rim of one circle to the rim of another."""
    start, end = np.array(tail), np.array(head)
    direction = (end - start) / np.linalg.norm(end - start)
    rims = tuple(start + tail_radius * direction), tuple(end - head_radius * direction)
    return FancyArrowPatch(*rims, arrowstyle="-|>", mutation_scale=10, shrinkA=0, shrinkB=0, color="black", lw=0.9)


def _from_settings(name, draw, computed_by):
    """`draw`, called with a mapping of settings, whose names are checked."""

    def figure_from_settings(settings: Mapping[str, Any] | None = None) -> Figure:
        settings = settings or {}
        known = inspect.signature(computed_by).parameters
        unknown = [setting for setting in settings if setting not in known]
        if unknown:
            raise ValueError(f"{name}: unknown settings {unknown}; known are {list(known)}")
        return draw(**settings)

    return figure_from_settings


FIGURES: dict[str, Callable[..., Figure]] = {
    "figure1": _from_settings("figure1", masking, simulate_masking),
    "figure2": _from_settings("figure2", one_dimension, fit_one_dimension),
    "plate": _from_settings("plate", plate, plate),
}


def save(figure, *paths):
    """Write the figure to each path, whose suffix says the format, and close it.

    A file is either complete or not there, and the same figure gives the same bytes at any time.
    """
    targets = [Path(path) for path in paths]
    for path in targets:
        if path.suffix not in _NO_STAMPS:
            raise ValueError(f"{path}: a figure is saved as one of {', '.join(_NO_STAMPS)}")
    for path in targets:
        with whole(path) as partial, style():
            figure.savefig(partial, format=path.suffix[1:], metadata=_NO_STAMPS[path.suffix])
    plt.close(figure)
