"""A small config with runs and published numbers, and the tables that they make."""

import numpy as np
import pandas as pd
from made_up_runs import both, facts, runs_of
from shiftbench import plugins
from shiftbench.config.load import complete
from shiftbench.present.context import build_context

SPREAD = np.array([-1.0, 0.0, 1.0]) * np.sqrt(3.0)  # a standard error of 1 around 0


def config_of(**top):
    variant = {"method": "robust", "title": "robust_2 & 50 %", "why": "Another way."}
    scenarios = {
        "clean": {"row": ["0.0"]},
        "noisy": {"row": ["0.3 #1"], "noise": {"kind": "uniform", "p0": 0.3}, "readings": ["variant"]},
    }
    experiment = {
        "title": "Five % of a_b",
        "section": "4.1",
        "dataset": "simulated",
        "table": {"columns": ["$p_0$"], "bold": "significant"},
        "replicates": 3,
        "scenarios": scenarios,
    }
    gain = {"columns": ["$p_0$"], "gain_beside": "one"}
    other = experiment | {"section": "appendix B", "table": gain, "scenarios": {"clean": {"row": ["0.0"]}}}
    return complete(
        {
            "methods": {"standard": {}, "robust": {"title": "ro_bust"}, "variant": variant, "svm": {"title": "SVM"}},
            "experiments": {"one": experiment, "two": other},
            "tables": {"readings": {"layout": "readings", "of": ["one", "two"], "title": "Other readings"}},
            **top,
        }
    )


MEANS = {
    "one.clean:standard": 90.0,
    "one.clean:robust": 90.5,
    "one.noisy:standard": 70.0,
    "one.noisy:robust": 80.0,
    "one.noisy:variant": 84.0,
    "two.clean:standard": 60.0,
    "two.clean:robust": 62.0,
}
KNOWN = both(*(facts(name, {"mislabelled": 0.1}) for name in ("one.clean", "one.noisy", "two.clean")))


def make_runs(means=MEANS, failed=(), **more):
    """Three replicates of each; those of `failed` are (name, how many of them failed)."""
    # spreads differ, so that differences are not all alike
    samples = {name: mean + (0.1 if name.endswith(":robust") else 1.0) * SPREAD for name, mean in means.items()}
    bad = {(name, number) for name, n in dict(failed).items() for number in range(n)}
    return both(runs_of(samples, failed=bad, **more), KNOWN)


NOISY_GAIN = "one.noisy:robust:accuracy - one.noisy:standard:accuracy"
CLEAN_LOSS = "one.clean:standard:accuracy - one.clean:robust:accuracy"
PUBLISHED = pd.DataFrame(
    [
        ("s1", "one", "0.0", "standard", "=", 90.2, 0.5, "", "one.clean:standard:accuracy", ""),
        ("r1", "one", "0.0", "robust", "=", 80.2, 0.5, "", "one.clean:robust:accuracy", ""),
        ("s2", "one", "0.3", "standard", "=", 79.0, 0.5, "", "one.noisy:standard:accuracy", ""),
        ("r2", "one", "0.3", "robust", "=", 80.1, 0.5, "yes", "one.noisy:robust:accuracy", ""),
        ("g2", "one", "0.3", "gain", ">", 1.1, np.nan, "", NOISY_GAIN, "x"),
        ("c1", "one", "0.0", "gain", ">", 9.0, np.nan, "", CLEAN_LOSS, "it <wins>"),
        ("n1", "nine", "9", "F1", "=", 81.0, np.nan, "", "", ""),
    ],
    columns=["id", "table", "row", "column", "relation", "value", "se", "bold", "ours", "claim"],
).assign(data="report", better="higher", place="Table 1", digits=2, margin=np.nan, note="")


def build(name, config, runs, published=PUBLISHED):
    context = build_context(name, config, runs, published)
    return plugins.load_file("tables", context.settings["layout"], config["plugins"]).build(context)


def make(name="one", failed=(), means=MEANS, **top):
    return build(name, config_of(**top), make_runs(means, failed))


def texts(table):
    return [[cell.text for cell in line] for line in table.lines]
