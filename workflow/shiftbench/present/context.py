"""What a table or figure is made from: its settings, the runs it shows, and what the report says in its place."""

import csv
import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from shiftbench.config.plan import methods_of, shown_methods
from shiftbench.runs import DATA, Runs
from shiftbench.verdicts.expressions import PUBLISHED, experiments_in

# Modules that import statsmodels are imported where they are used: the rules ask `needs` alone, at every start.

Place = tuple[str, str]  # (experiment, scenario)
STANDIN = "Stand-in data for what could not be had. "
QUICK = "Quick look: few replicates or smaller data. "


class Context(NamedTuple):
    """What a table or figure is made from."""

    name: str
    settings: dict[str, Any]  # its entry in the config, with title, section and `of`
    config: dict[str, Any]
    runs: Runs  # of the experiments in `needs`
    published: pd.DataFrame  # what the report says in its place
    verdicts: pd.DataFrame  # on these
    data: Mapping[Place, Any] = {}  # first replicates by (experiment, scenario), if asked for

    def experiments(self) -> list[str]:
        """The experiments that are shown."""
        return list(dict.fromkeys(experiment for experiment, _ in self.scenarios()))

    def scenarios(self) -> list[Place]:
        """(experiment, scenario) of all that is shown, in order."""
        return places(self.config, self.settings["of"])

    def methods(self, experiment: str, scenario: str | None = None, hidden: bool = False) -> list[str]:
        """The methods to show: those of the setting `methods`, or of the experiment's own table; then extra methods.

        Of a scenario, those that were to be run there; with `hidden` all others come after them.
        """
        known = methods_of(self.config, experiment, scenario)
        wanted = self.settings.get("methods") or shown_methods(self.config, experiment)
        wanted = [*wanted, *self.config["extra_methods"], *(known if hidden else [])]
        return [name for name in dict.fromkeys(wanted) if name in known]

    def about(self, experiment: str, scenario: str) -> dict[str, Any]:
        """The settings of a scenario."""
        return self.config["experiments"][experiment]["scenarios"][scenario]

    def title_of(self, experiment: str, method: str) -> str:
        """How a method is called."""
        return self.config["experiments"][experiment]["methods"][method]["title"]

    def estimate(self, expression: str):
        """The value of an expression; see `shiftbench.verdicts.estimate`."""
        from shiftbench.verdicts.estimate import estimate

        return estimate(self.runs, expression, self.config["resamples"])

    def params(self, experiment: str, scenario: str, method: str) -> dict[str, Any]:
        """The parameters that were chosen on the first replicate that succeeded; of the method "data" texts on it."""
        rows = self.runs.of(experiment, scenario, method)
        rows = rows[rows["status"] == "ok"].sort_values("replicate", kind="stable")
        return json.loads(rows["params"].iloc[0]) if len(rows) else {}

    def array(self, experiment: str, scenario: str, method: str, name: str) -> np.ndarray | None:
        """An array of the first replicate."""
        return self.runs.arrays.get(f"{experiment}/{scenario}/{method}/0/{name}")

    def failures(self, experiment: str, scenario: str, method: str) -> tuple[int, int, str]:
        """(how many replicates succeeded, how many failed, the first reason); skipped ones are neither."""
        fits = self.runs.of(experiment, scenario, method).drop_duplicates("replicate")
        fits = fits[fits["status"] != "skipped"]
        failed = fits[fits["status"] != "ok"]
        return len(fits) - len(failed), len(failed), failed["reason"].iloc[0] if len(failed) else ""

    def skipped(self, experiment: str, scenario: str, method: str) -> str:
        """Why a method was skipped; empty if it was not."""
        fits = self.runs.of(experiment, scenario, method)
        reasons = fits.loc[fits["status"] == "skipped", "reason"]
        return reasons.iloc[0] if len(reasons) else ""

    def origin(self, experiment: str, scenario: str, method: str | None = None) -> str:
        """The worst of the data behind a scenario's runs: report, other, quick or standin."""
        from shiftbench.verdicts.judge import ORIGINS

        found = set(self.runs.of(experiment, scenario, method)["data"])
        found |= {"quick"} if experiment in quick_experiments(self.config) else set()
        return max(found, key=ORIGINS.index, default=ORIGINS[0])

    def origins(self) -> set[str]:
        """The data behind all that is shown."""
        return {self.origin(*place) for place in self.scenarios()}

    @property
    def is_standin(self) -> bool:
        return "standin" in self.origins()

    @property
    def is_quick(self) -> bool:
        return "quick" in self.origins()

    def caption(self, text: str | None = None, more: str = "") -> str:
        """The title, or another text, and the section, marked if data are stand-ins or smaller than they should be."""
        mark = STANDIN if self.is_standin else QUICK if self.is_quick else ""
        return f"{mark}{self.settings['title'] if text is None else text}{where(self.settings['section'])}{more}"

    def replicates(self, of_data: bool = False) -> list[int]:
        """How many replicates the fits of the scenarios have, or their data; where a method was skipped it has none."""
        counts: set[int] = set()
        for place in self.scenarios():
            rows = self.runs.of(*place)
            rows = rows[(rows["status"] != "skipped") & ((rows["method"] == DATA) == of_data)]
            counts |= set(rows.groupby("method")["replicate"].nunique())
        return sorted(counts)


def where(section: str) -> str:
    """A section in brackets."""
    if section in ("", "ours"):
        return ""
    return f" ({'' if section[0].isalpha() else 'section '}{section})"


def places(config: dict[str, Any], of: Iterable[str]) -> list[Place]:
    """(experiment, scenario) of names of experiments and of scenarios (experiment.scenario)."""
    found: dict[Place, None] = {}
    for name in of:
        experiment, _, scenario = name.partition(".")
        names = [scenario] if scenario else config["experiments"][experiment]["scenarios"]
        found |= {(experiment, one): None for one in names}
    return list(found)


def settings_of(config: dict[str, Any], name: str, kind: str = "tables") -> dict[str, Any]:
    """The settings of a table or figure; those of an experiment's own table are under the experiment."""
    if kind == "figures" or name in config["tables"]:
        return config[kind][name]
    about = config["experiments"][name]
    return about["table"] | {"title": about["title"], "section": about["section"], "of": [name]}


def needs(config: dict[str, Any], name: str) -> list[str]:
    """The experiments whose runs the table and the figure of a name need, in the config's order.

    Those are the ones that they show, and those that a table is judged by.
    """
    found: set[str] = set()
    if name in config["experiments"] or name in config["tables"]:
        settings = settings_of(config, name)
        found |= {experiment for experiment, _ in places(config, settings["of"])}
        found |= {settings["gain_beside"]} if settings.get("gain_beside") else set()
        said = _published_by_table()
        for table in _tables_shown(config, name, settings, said):
            found |= said[table]
    if name in config["figures"]:
        found |= {experiment for experiment, _ in places(config, config["figures"][name]["of"])}
    return [experiment for experiment in config["experiments"] if experiment in found]


def quick_experiments(config: dict[str, Any]) -> set[str]:
    """The experiments that a quick run makes smaller: all of them."""
    return set(config["experiments"]) if config["quick"] else set()


def build_context(
    name: str,
    config: dict[str, Any],
    runs: Runs,
    published: pd.DataFrame | None = None,
    data: Mapping[Place, Any] | None = None,
    kind: str = "tables",
) -> Context:
    """The context of a table or figure. `published` are all rows of the report; a figure needs none."""
    from shiftbench.verdicts.judge import COLUMNS, judge, read_published

    settings = settings_of(config, name, kind)
    rows = (read_published() if published is None else published).iloc[: None if kind == "tables" else 0]
    rows = rows[rows["table"].isin(_tables_shown(config, name, settings, set(rows["table"])))]
    verdicts = pd.DataFrame(columns=list(COLUMNS))
    if len(rows):
        verdicts = judge(rows, runs, config["resamples"], quick_experiments(config))[0]
    return Context(name, settings, config, runs, rows, verdicts, data or {})


def _tables_shown(config, name, settings, said):
    """The tables of the report that stand beside ours: the one of the same name, or those of the experiments shown."""
    if name in said or name in config["experiments"]:
        return [name] if name in said else []
    return [one for one in dict.fromkeys(experiment for experiment, _ in places(config, settings["of"])) if one in said]


@cache
def _published_by_table() -> dict[str, set[str]]:
    """The experiments that each table of the report is judged by."""
    found: dict[str, set[str]] = {}
    with PUBLISHED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["table"], set()).update(experiments_in([row["ours"]]))
    return found
