"""Named-entity recognition through real Snakemake, on stand-ins for all four sources."""

import json
import sys
from pathlib import Path

import pandas as pd

SCORES = ["table4", "table5", "table8"]
NAMES = ("suspect_sets", "table3", *SCORES, "label_errors", "noise_curve", "thinning")
TABLES = [f"results/tables/{name}" for name in NAMES]
LISTS = ["results/ner/suspects_auto", "results/ner/suspects_crowd"]
FIGURES = [f"results/figures/{name}" for name in ("figure3", "label_errors", "noise_curve")]
METHODS = ("standard", "flipping", "robust", "prefilter")


def test_everything_is_there(everything):
    names = [f"{table}.{kind}" for table in TABLES for kind in ("tex", "csv", "md", "html")]
    names += [f"{one}.{kind}" for one in LISTS for kind in ("csv", "html")]
    names += [f"{figure}.{kind}" for figure in FIGURES for kind in ("pdf", "png", "csv")]
    for name in names:
        assert everything.path(name).stat().st_size > 0, name
    for name in SCORES:
        rows = pd.read_csv(everything.path(f"results/tables/{name}.csv"))
        assert ",".join(rows).startswith("labels,model,precision,recall,f1,published_f1,data")
        assert rows["f1"].between(30.0, 100.0).all() and (rows["replicates"] == 2).all()
    runs = everything.runs()
    assert set(runs["status"]) == {"ok"}
    f1 = runs[runs["metric"] == "f1"].value_counts("experiment")
    # scenarios x methods x replicates; of the robust model there are two variants
    assert f1["table4"] == f1["table5"] == 2 * 5 * 2
    assert f1["noise_curve"] == 3 * 2 and f1["thinning"] == 2 * (1 + 2)
    for name in LISTS:
        suspects = pd.read_csv(everything.path(f"{name}.csv"))
        assert ",".join(suspects) == "rank,article,word,sentence,label_given,label_suspected,label_true,shift,data"
        assert len(suspects) > 0 and suspects["shift"].abs().is_monotonic_decreasing


def test_standins_are_marked(everything):
    assert "Stand-in data, not the real crowd2014" in everything.printed
    for table in TABLES:
        for kind in ("tex", "md", "html"):
            assert "Stand-in data" in everything.path(f"{table}.{kind}").read_text(), table
    for name in LISTS:
        assert "Stand-in data" in everything.path(f"{name}.html").read_text()
    for name in SCORES:
        assert set(pd.read_csv(everything.path(f"results/tables/{name}.csv"))["data"]) == {"standin"}
    runs = everything.runs()
    assert set(runs.loc[runs["experiment"] != "table1", "data"]) == {"standin"}
    for table in ("table2", "table3", *SCORES):
        verdicts = everything.verdicts(table)
        judged = verdicts[verdicts["ours"].notna()]
        assert len(judged) and set(judged["data"]) == {"standin"} and set(verdicts["verdict"]) == {"not_comparable"}


def chosen(clone, experiment):
    """The parameters of each (scenario, method, replicate) of an experiment."""
    runs = pd.read_parquet(clone.path(f"results/runs/{experiment}.parquet"))
    fits = runs[runs["method"] != "data"].drop_duplicates(["scenario", "method", "replicate"])
    return {(row.scenario, row.method, row.replicate): json.loads(row.params) for row in fits.itertuples()}


def test_parameters_are_shared_as_the_config_says(everything):
    table4, table5, thinning = (chosen(everything, name) for name in ("table4", "table5", "thinning"))
    for found in (table4, table5):
        for (scenario, method, replicate), params in found.items():
            assert params == found[scenario, method, 0]  # what the first replicate has chosen
            assert params["alpha"] == found[scenario, "standard", 0]["alpha"]
            assert replicate in (0, 1) and ("lam" in params) == method.startswith("robust")
    assert {method for _, method, _ in table4} == {*METHODS, "robust_share"}
    assert {method for _, method, _ in table5} == {*METHODS, "robust_folds"}
    for method in (*METHODS, "robust_folds"):
        assert table5["gold", method, 0] == table5["auto", method, 0]
    for (_, method, _), params in thinning.items():
        assert params == table4["per_article", method, 0]
    table2 = chosen(everything, "table2")
    for replicate in (0, 1):  # each has folds of its own, and chooses anew
        alpha = table2["tissues", "standard", replicate]["alpha"]
        assert table2["tissues", "prefilter", replicate]["alpha"] == alpha
    assert {method for scenario, method, _ in table2 if scenario == "raw"} == {"standard", "robust"}


def test_edited_method_reruns_itself_and_what_depends_on_it(everything, tmp_path):
    clone = everything.copy(tmp_path / "copy")
    clone.edit("workflow/shiftlr/methods/flipping.py", '"""The label-flipping', '"""Label-flipping')
    planned = clone.planned()
    assert planned == {
        **{"fit": 3, "combine": 3, "judge": 1, "manifest": 1, "all": 1},
        # table3, 4, 5, 8, label_errors, thinning; figure3, label_errors; both lists of persons
        **{"tabulate": 6, "plot": 2, "list_suspects": 2},
    }


def test_parts_without_words_need_none(everything):
    planned = everything.planned("--config", "only=[table2,preprocessing,colon_map,table1]")
    assert planned == {"provenance": 1, "judge": 1, "manifest": 1, "all": 1}


def test_data_and_fits_come_out_the_same_in_another_process(everything):
    packages = {"PYTHONPATH": str(everything.path("workflow"))}
    script = str(Path(__file__).with_name("repeat.py"))
    printed = everything.call(sys.executable, script, "table2", "table4", "table5", **packages)
    assert printed.split() == ["table2:", "3", "table4:", "5", "table5:", "5"]
