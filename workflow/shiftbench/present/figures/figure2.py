"""Figure 2: the standard and the robust fit in one dimension, beside the sigmoid behind the data."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.special import expit
from shiftlr.methods.robust import RobustLogisticRegression
from shiftlr.methods.standard import StandardLogisticRegression
from shiftlr.model_selection import lam_grid, tune_on_dev
from shiftlr.validation import check_number

from shiftbench.present.figures.base import defaults_of
from shiftbench.present.style import BLUE, GREEN, GREY, VERMILLION, style

CAPTION = (
    "The report's Figure 2. Data from the dashed sigmoid, with some negative labels flipped: the robust fit is nearer "
    "to it than the standard one."
)
LAMS = tuple(np.geomspace(0.01, 1.0, 40).tolist())


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

    def table(self):
        """The curves point by point, then the examples; `lam` is that of the robust fit."""
        curves = {"true": self.true, "standard": self.standard, "robust": self.robust}
        parts = [pd.DataFrame({"series": name, "x": self.grid, "y": curve}) for name, curve in curves.items()]
        names = np.where(self.is_flipped, "flipped example", "example")
        table = pd.concat([*parts, pd.DataFrame({"series": names, "x": self.x, "y": self.y})], ignore_index=True)
        return table.assign(lam=np.where(table["series"] == "robust", self.lam, np.nan))


def fit_one_dimension(seed=2, n=500, p0=0.2, slope=2.0, lams=LAMS) -> OneDimension:
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


SETTINGS = defaults_of(fit_one_dimension)


def _noisy_labels(rng, n, p0, slope):
    """(Features, labels seen, which of them were flipped)."""
    x = rng.uniform(-5.0, 5.0, (n, 1))
    y = rng.random(n) < expit(slope * x.ravel())
    is_flipped = ~y & (rng.random(n) < p0)
    return x, (y | is_flipped).astype(int), is_flipped


def compute(context) -> OneDimension:
    """Settings as in `fit_one_dimension`."""
    return fit_one_dimension(**{name: context.settings[name] for name in SETTINGS})


def draw(data: OneDimension, context) -> Figure:
    """The three sigmoids, and the examples above and below them."""
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
