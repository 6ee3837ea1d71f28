"""Figures of the colon-cancer data: what each (kappa, lambda) finds, and how stably each tissue is named."""

import numpy as np
import pandas as pd
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from shiftlr.figures import BLUE, GREY, VERMILLION, style

_CLIPPED = 9  # differences below -9 are one colour: there the map is all false positives


def map_figure(counts: pd.DataFrame, chosen: dict[str, float], is_standin: bool) -> Figure:
    """Suspects found minus false positives over the grid, and the point that cross-validation chose."""
    grid = counts.assign(gain=counts["hits"] - counts["false_positives"]).pivot(
        index="lam", columns="kappa", values="gain"
    )
    perfect = counts.assign(ok=(counts["hits"] >= 6) & (counts["false_positives"] == 0)).pivot(
        index="lam", columns="kappa", values="ok"
    )
    kappas, lams = grid.columns.to_numpy(), grid.index.to_numpy()
    with style():
        figure = Figure(figsize=(5.5, 3.9))
        axes = figure.subplots()
        norm = TwoSlopeNorm(vcenter=0.0, vmin=-_CLIPPED, vmax=_CLIPPED)
        image = axes.pcolormesh(kappas, lams, grid.clip(-_CLIPPED), cmap="PuOr_r", norm=norm, shading="nearest")
        axes.set(xscale="log", yscale="log", xlabel=r"$\kappa$", ylabel=r"$\lambda$")
        places = [(kappa, lam) for lam in lams for kappa in kappas if perfect.loc[lam, kappa]]
        if places:
            axes.plot(*np.transpose(places), ".", color="black", ms=2.5, label="6 or more, no false positive")
        axes.plot(chosen["alpha"], chosen["lam"], "*", color=BLUE, ms=12, mec="white", mew=0.8, label="chosen by folds")
        axes.set_yticks([0.05, 0.1, 0.2, 0.5, 1.0], ["0.05", "0.1", "0.2", "0.5", "1"])
        axes.minorticks_off()
        figure.colorbar(image, label="suspects found minus false positives", extend="min")
        figure.legend(loc="outside upper center", ncols=2)
        _mark_standin(axes, is_standin)
    return figure


def stability_figure(shares: pd.DataFrame, is_standin: bool) -> Figure:
    """How often each tissue is shifted over the resamples that it is in, suspects marked."""
    order = shares.sort_values(["share", "sample"], ascending=[False, True], ignore_index=True)
    places = np.arange(len(order))
    with style():
        figure = Figure(figsize=(7.2, 3.0))
        axes = figure.subplots()
        for is_suspect, colour, label in ((True, VERMILLION, "suspected in the literature"), (False, GREY, "others")):
            mine = order["suspect"] == is_suspect
            axes.bar(places[mine], order["share"][mine], color=colour, width=0.8, label=label)
        axes.set_xticks(places, order["sample"], rotation=90, fontsize=6)
        for tick, is_suspect in zip(axes.get_xticklabels(), order["suspect"], strict=True):
            tick.set_fontweight("bold" if is_suspect else "normal")
        axes.set(ylabel="share of resamples\nin which it is shifted", ylim=(0, 1), xlim=(-0.8, len(order) - 0.2))
        axes.legend(loc="upper right")
        _mark_standin(axes, is_standin)
    return figure


def _mark_standin(axes, is_standin):
    if is_standin:
        axes.set_title("stand-in data, not the real tissues", color=VERMILLION)
