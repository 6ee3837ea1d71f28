"""Figure 1: outliers that mask each other, and clean examples that look like outliers because of them."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from shiftlr.validation import check_number
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant

from shiftbench.present.figures.base import defaults_of
from shiftbench.present.style import BLUE, GREY, VERMILLION, style

CAPTION = (
    "The report's Figure 1. Least squares on clean examples and a cluster of outliers: the outliers pull the line "
    "towards themselves until they look unsuspicious (masking), and some clean examples now look like outliers "
    "(swamping)."
)
SUSPICIOUS = 2.0  # studentised residuals beyond this make an example look like an outlier


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

    def table(self):
        """One row per example."""
        return pd.DataFrame(
            {
                "x": self.x,
                "y": self.y,
                "outlier": self.is_outlier,
                "line": self.line[0] + self.line[1] * self.x,
                "clean_line": self.clean_line[0] + self.clean_line[1] * self.x,
                "studentised_residual": self.residuals,
                "masked": self.masked,
                "swamped": self.swamped,
            }
        )


def simulate_masking(seed=1, clean=40, outliers=8, noise=1.0, centre=(10.0, 2.0), scatter=0.4) -> Masking:
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


SETTINGS = defaults_of(simulate_masking)


def compute(context) -> Masking:
    """Settings as in `simulate_masking`."""
    return simulate_masking(**{name: context.settings[name] for name in SETTINGS})


def draw(data: Masking, context) -> Figure:
    """The examples and both lines; ringed are the clean examples that are `swamped`."""
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
