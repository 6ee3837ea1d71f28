"""What each (kappa, lambda) finds: suspects minus others that have a shift, over the grid to choose from."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from shiftbench.analyses.parameter_map import parameter_map
from shiftbench.config.plan import tuning_of
from shiftbench.present.figures.base import entitle, only_scenario
from shiftbench.present.style import BLUE, style
from shiftbench.tuner import Tuner, penalties, values

CAPTION = (
    "Suspects found minus false positives for every penalty on the weights and every price of a shift. Dots mark the "
    "settings with exactly the published tissues, the star the setting that cross-validation chose."
)
SETTINGS = {"method": "robust"}
NEEDS_DATA = True

_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)


class ParameterMap(NamedTuple):
    """What every setting finds, and which one was chosen."""

    counts: pd.DataFrame  # kappa, lam, hits, false_positives, as_published, nonzero_genes
    chosen: dict[str, Any]  # empty if the fit failed
    suspects: int  # how many there are to be found

    def table(self):
        """The counts, and whether a setting is the one that was chosen."""
        counts, chosen = self.counts, self.chosen or {"alpha": np.nan, "lam": np.nan}
        is_chosen = np.isclose(counts["kappa"], chosen["alpha"]) & np.isclose(counts["lam"], chosen["lam"])
        return counts.assign(chosen=is_chosen)


def compute(context) -> ParameterMap:
    """A fit for each setting of the method's grid, to the first replicate."""
    place, method = only_scenario(context), context.settings["method"]
    train = context.data[place].parts["train"]
    tuning = tuning_of(context.config, *place, method)
    own = Tuner(context.config["experiments"][place[0]]["methods"][method], tuning, context.config["plugins"], 0).grid
    if "lam" not in own:
        raise ValueError(f"{context.name}.method: {method!r} has no grid of lam to draw a map of")
    alphas = penalties(tuning, train)
    grid = [{"alpha": alpha, "lam": lam} for lam in sorted(values(own["lam"]), reverse=True) for alpha in alphas]
    suspected = train.tags["suspected"]
    counts = parameter_map(train.X, train.labels, suspected, train.tags["published"], grid)
    return ParameterMap(counts, context.params(*place, method), int(suspected.sum()))


def draw(data: ParameterMap, context) -> Figure:
    """The differences as colours; below minus the number of suspects all is one colour."""
    limit = max(data.suspects, 1)
    counts = data.counts.assign(gain=data.counts["hits"] - data.counts["false_positives"])
    gains = counts.pivot(index="lam", columns="kappa", values="gain")
    kappas, lams = gains.columns.to_numpy(), gains.index.to_numpy()
    dots = counts[counts["as_published"]]
    with style():
        figure = Figure(figsize=(5.5, 3.9))
        axes = figure.subplots()
        norm = TwoSlopeNorm(vcenter=0.0, vmin=-limit, vmax=limit)
        image = axes.pcolormesh(kappas, lams, gains.clip(-limit), cmap="PuOr_r", norm=norm, shading="nearest")
        axes.set(xscale="log", yscale="log", xlabel=r"$\kappa$", ylabel=r"$\lambda$")
        label = f"the published tissues: {len(dots)} of {len(counts):,} settings"
        axes.plot(dots["kappa"], dots["lam"], ".", ls="", color="black", ms=2.5, label=label)
        if data.chosen:
            star: dict[str, Any] = {"color": BLUE, "ms": 12, "mec": "white", "mew": 0.8, "label": "chosen, first seed"}
            axes.plot(data.chosen["alpha"], data.chosen["lam"], "*", ls="", **star)
        for axis, found in ((axes.xaxis, kappas), (axes.yaxis, lams)):
            ticks = [tick for tick in _TICKS if found.min() * 0.99 <= tick <= found.max() * 1.01]
            axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        figure.colorbar(image, label="suspects found minus false positives", extend="min")
        figure.legend(loc="outside upper center", ncols=2)
        entitle(axes, "", context, context.scenarios())
    return figure
