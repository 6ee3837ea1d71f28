"""Which method should I use? A page whose sentences are filled from the numbers of the tables of gains.

`python -m shiftbench.present.which_method TABLES KEPT.csv PAGE.md` takes the numbers from the CSV of the tables
`real_noise` and `rivals` in a folder, keeps those that the page needs in one file, and writes the page from this file.
With the last two alone it writes the page from what is kept.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from shiftbench.files import write_text
from shiftbench.present.tables.base import BASELINE
from shiftbench.present.tables.gains import MEAN
from shiftbench.verdicts.relations import LEVEL

TABLES = {"real": "real_noise", "simulated": "rivals"}  # where the numbers are, by what data they are of
ROBUST, ORACLE = "robust", "oracle"
COLUMNS = [
    *("data", "experiment", "scenario", "row", "method", "title", "metric", "share_wrong"),
    *("ours", "difference", "se", "low", "high", "p_holm", "replicates", "failed"),
]
_HEAD = """# Which method should I use?

Made from `docs/which_method.csv` by `make which-method`, after `make beyond`; do not edit it. Scores are accuracy, or
F1 for words, on test sets whose labels are right; gains are points above standard logistic regression on the same
replicates, and clear ones are those that are not zero at 5 % after Holm's correction. Settings are chosen on labels as
given, wrong ones among them.

"""


def gather(folder: str | Path) -> pd.DataFrame:
    """What the page needs of the tables in a folder; numbers of stand-ins or of a quick look are refused."""
    parts = []
    for data, name in TABLES.items():
        path = Path(folder, f"{name}.csv")
        table = pd.read_csv(path)
        bad = table[table["data"].isin(["standin", "quick"])]
        if len(bad):
            one = bad.iloc[0]
            raise ValueError(
                f"{path}: {one['experiment']}.{one['scenario']} was run on {one['data']} data; run all of `make beyond`"
            )
        table = table[(table["over"] == BASELINE) | (table["method"] == BASELINE)]
        table = table[table["scenario"] != MEAN].assign(data=data)
        parts.append(table.reindex(columns=COLUMNS))
    return pd.concat(parts, ignore_index=True)


def write_kept(path: str | Path, kept: pd.DataFrame) -> None:
    write_text(path, kept.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def read_kept(path: str | Path) -> pd.DataFrame:
    """The numbers that were kept."""
    return pd.read_csv(path)[COLUMNS]


def markdown(kept: pd.DataFrame) -> str:
    """The page."""
    real, simulated = (kept[kept["data"] == name] for name in TABLES)
    parts = [
        _HEAD,
        "## In short\n\n",
        *_short(real, simulated),
        "\n## What wrong labels cost\n\n",
        *_costs(real),
        "\n## Sets with real label noise\n\n",
        *_methods_on(real),
        "\n## Simulations with flipped labels\n\n",
        *_methods_on(simulated),
        "\n## When not to use the robust model\n\n",
        *_not_robust(real),
        "\n## Each set\n\n",
        *_each(real),
    ]
    return "".join(parts)


def outcomes(kept: pd.DataFrame) -> pd.DataFrame:
    """One row per method that is compared with the baseline: in how many sets it is clearly better, worse, neither."""
    rows = []
    for method, of in _compared(kept).groupby("method", sort=False):
        clear = of["p_holm"] < LEVEL
        better, worse = int((clear & (of["difference"] > 0)).sum()), int((clear & (of["difference"] < 0)).sum())
        rows.append((method, of["title"].iloc[0], len(of), better, worse, of["difference"].mean()))
    return pd.DataFrame(rows, columns=["method", "title", "sets", "better", "worse", "gain"])


def _compared(kept):
    return kept[kept["difference"].notna()]


def _usable(kept):
    """Without what nobody has."""
    return kept[kept["method"] != ORACLE]


def _short(real, simulated):
    for words, kept in (("sets with real label noise", real), ("simulations", simulated)):
        found = outcomes(kept[kept["method"] == ROBUST])
        if len(found):
            one = found.iloc[0]
            yield (
                f"- On {one.sets} {words} the robust model is clearly better than the standard one on {one.better}, "
                f"clearly worse on {one.worse}, and cannot be told from it on {one.sets - one.better - one.worse}; the "
                f"mean gain is {one.gain:+.2f} points.\n"
            )
    for words, kept in (("real label noise", real), ("simulations", simulated)):
        found = outcomes(_usable(kept))
        found = found[found["sets"] == found["sets"].max()]
        if len(found):
            best = found.loc[found["gain"].idxmax()]
            yield (
                f"- Of the methods that can be used on all sets of {words}, {best.title} has the highest mean gain, "
                f"{best.gain:+.2f} points.\n"
            )


def _costs(real):
    found = _compared(real[real["method"] == ORACLE])
    if not len(found):
        yield "No model was trained on true labels.\n"
        return
    cost = found["difference"]
    most, least = found.loc[cost.idxmax()], found.loc[cost.idxmin()]
    yield (
        f"On {len(found)} sets the true labels of the training set are known. Trained on them, the standard model is "
        f"{cost.median():+.2f} points away in the median: from {least['difference']:+.2f} ({_set(least)}) to "
        f"{most['difference']:+.2f} ({_set(most)}). That is about the most that a method for noisy labels can gain.\n"
    )
    robust = _compared(real[real["method"] == ROBUST]).set_index(["experiment", "scenario"])["difference"]
    both = found.set_index(["experiment", "scenario"])["difference"].to_frame("cost").join(robust, how="inner")
    both = both[both["cost"] > 0.0]
    if len(both):
        share = both["difference"].sum() / both["cost"].sum()
        yield f"Of what is lost in sum over these sets the robust model wins back {share:.0%}.\n"


def _methods_on(kept):
    found = outcomes(_usable(kept))
    if not len(found):
        yield "Nothing was run.\n"
        return
    yield "| method | sets | clearly better | clearly worse | mean gain |\n|---|---|---|---|---|\n"
    for one in found.sort_values("gain", ascending=False, kind="stable").itertuples():
        yield f"| {one.title} | {one.sets} | {one.better} | {one.worse} | {one.gain:+.2f} |\n"
    yield "\nMethods that do not take many classes, or some penalty, have means over fewer sets.\n"


def _not_robust(real):
    of = _compared(real[real["method"] == ROBUST])
    if not len(of):
        yield "It was not run.\n"
        return
    clear = of["p_holm"] < LEVEL
    worse, below = of[clear & (of["difference"] < 0)], of[~clear & (of["difference"] < 0)]
    named = "; ".join(f"{_set(one)} ({one['difference']:+.2f})" for _, one in worse.iterrows())
    yield f"- Clearly worse than standard: {named or 'on no set'}.\n"
    named = "; ".join(f"{_set(one)} ({one['difference']:+.2f})" for _, one in below.iterrows())
    yield f"- Below standard, but no further than chance allows: {named or 'on no set'}.\n"
    for words, group in _by_share(of):
        yield f"- {words}: {len(group)} sets, mean gain {group['difference'].mean():+.2f} points.\n"
    beaten = _beaten(real)
    if beaten:
        yield f"- Another method that can be used has a higher mean: {'; '.join(beaten)}.\n"


def _by_share(of):
    """Sets in three groups by the share of wrong labels, those that have any."""
    share = of["share_wrong"]
    groups = {
        "Fewer than 5 % of the labels wrong": share < 0.05,
        "5 to 20 % wrong": (share >= 0.05) & (share < 0.2),
        "20 % wrong or more": share >= 0.2,
        "Share not known": share.isna(),
    }
    return [(words, of[chosen]) for words, chosen in groups.items() if chosen.any()]


def _beaten(real):
    """The sets in which another method has a higher mean than robust and standard, each with this method."""
    found = []
    for _, of in _usable(real).groupby(["experiment", "scenario"], sort=False):
        means = of.dropna(subset="ours").set_index("method")
        if ROBUST in means.index and BASELINE in means.index:
            best = means["ours"].idxmax()
            if means["ours"][best] > max(means["ours"][[ROBUST, BASELINE]]):
                more = means["ours"][best] - means["ours"][ROBUST]
                found.append(f"{_set(of.iloc[0])}: {means['title'][best]} ({more:.2f} above robust)")
    return found


def _each(real):
    yield "| set / labels by | wrong, % | score | standard | robust | gain of robust | best | oracle |\n"
    yield "|---|---|---|---|---|---|---|---|\n"
    for _, of in real.groupby(["experiment", "scenario"], sort=False):
        first, by_method = of.iloc[0], of.set_index("method")
        means = by_method["ours"].reindex([BASELINE, ROBUST, ORACLE])
        usable = _usable(of).set_index("method")["ours"].dropna()
        best = f"{by_method['title'][usable.idxmax()]} {usable.max():.2f}" if len(usable) else ""
        gain = ""
        if ROBUST in by_method.index and not np.isnan(by_method["difference"][ROBUST]):
            one = by_method.loc[ROBUST]
            interval = "" if np.isnan(one["low"]) else f" [{one['low']:+.2f}, {one['high']:+.2f}]"
            gain = f"{one['difference']:+.2f}{interval}{'*' if one['p_holm'] < LEVEL else ''}"
        share = "-" if np.isnan(first["share_wrong"]) else f"{100 * first['share_wrong']:.1f}"
        scores = ["-" if np.isnan(value) else f"{value:.2f}" for value in means]
        cells = [_set(first), share, first["metric"].replace("_", " "), scores[0], scores[1], gain, best, scores[2]]
        yield f"| {' | '.join(cells)} |\n"


def _set(row):
    return row["row"].replace("|", "/")


def main(*paths: str) -> None:
    """Write the page, and before it what it is made from if a folder of tables is given."""
    *tables, kept, page = paths
    if tables:
        write_kept(kept, gather(tables[0]))
    write_text(page, markdown(read_kept(kept)))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: python -m shiftbench.present.which_method [TABLES] KEPT.csv PAGE.md")
    main(*sys.argv[1:])
