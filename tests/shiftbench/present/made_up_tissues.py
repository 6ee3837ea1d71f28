"""Made-up results on the colon-cancer data for tests of tables: which tissues each method suspects, seed by seed."""

from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from made_up_runs import both, place_of
from made_up_tables import build
from shiftbench.config.load import complete
from shiftbench.config.plan import methods_of
from shiftbench.datasets import colon
from shiftbench.runs import COLUMNS, Runs, rows_of
from shiftbench.verdicts.judge import read_published

WHOLE = yaml.safe_load((Path(__file__).parents[3] / "config.yaml").read_text())
CONFIG = {"methods": WHOLE["methods"], "tables": {"suspect_sets": WHOLE["tables"]["suspect_sets"]}}
CONFIG["experiments"] = {name: WHOLE["experiments"][name] for name in ("table2", "preprocessing")}
PUBLISHED = read_published()
DEFAULT = "robust, penalties per example, scaled genes"
NUMBERS = [*range(1, 41), *range(1, 13), *range(22, 30), 34, 36]  # of the tumours, then of normal tissues
IDS = np.array([f"{'T' if k < 40 else 'N'}{number}" for k, number in enumerate(NUMBERS)])
LABELS = (np.arange(62) < 40).astype(int)
ORDER = np.random.default_rng(0).permutation(62)  # the order of a file need not be that of the table
FIRST, OTHER = ["T30", "N8", "N36", "T7", "N2"], ["T33", "N12", "T9"]
SEVEN = ["T30", "T33", "T36", "N8", "N12", "N34", "N36"]  # those of the report
FOUND = {  # with the seeds 0, 1, ...; then from the start
    "robust": [FIRST, OTHER, OTHER, FIRST, OTHER],
    "robust_sums": [FIRST, SEVEN],
    "svm": [IDS[:20].tolist()],
    "rival": [["T2", "T37"]],
}
SHIFTS = {"T30": 2.5, "N8": 1.25, "N36": 3.0, "T7": 0.5, "N2": 0.25}


def config_of(**top):
    return complete(CONFIG | {"methods": CONFIG["methods"] | {"rival": {"method": "svm"}}, **top})


def runs_of_tissues(experiment, scenario, methods, replicates=1, data="report", failed=()):
    key = f"{experiment}/{scenario}"
    suspects, ids = np.isin(IDS, colon.SUSPECTS)[ORDER], IDS[ORDER]
    arrays = {f"{key}/data/0/ids": ids, f"{key}/data/0/labels": LABELS[ORDER]}
    arrays |= {f"{key}/data/0/tag.suspected": suspects, f"{key}/data/0/tag.published": np.isin(ids, SEVEN)}
    rows = []
    for method in methods:
        sets = FOUND.get(method, [[]])
        suspicion = np.array([SHIFTS.get(name, 9.0) for name in ids])
        for number in range(replicates):
            named = np.isin(ids, sets[number % len(sets)])
            if method not in failed:
                arrays[f"{key}/{method}/{number}/suspected"] = named
            if method not in failed and number == 0:
                arrays[f"{key}/{method}/0/suspicion"] = named * suspicion
            place = place_of(f"{experiment}.{scenario}:{method}", number)
            metrics = {"suspects_hit": int((named & suspects).sum()), "false_positives": int((named & ~suspects).sum())}
            status = ("failed", "ArithmeticError: no luck") if method in failed else ("ok", "")
            rows += rows_of(place, metrics, {"alpha": 1.28, "lam": 0.104}, *status, data=data)
    return Runs(pd.DataFrame(rows, columns=list(COLUMNS)), arrays)


def runs_of_table2(config, *about):
    parts = config["experiments"]["table2"]["scenarios"]
    return both(*(runs_of_tissues("table2", one, methods_of(config, "table2", one), *about) for one in parts))


def make_table2(replicates=1, data="report", failed=(), name="table2", **top):
    config = config_of(**top)
    return build(name, config, runs_of_table2(config, replicates, data, failed), PUBLISHED)
