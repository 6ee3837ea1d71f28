"""What the report does not have: a target of its own, which the report neither makes nor needs."""

from shiftbench.runs import read_table

MORE = {
    "experiments": {
        "more": {
            "title": "One more",
            "section": "ours",
            "target": "beyond",
            "dataset": "simulated",
            "data": {"features": 2, "train": 40, "dev": 40, "test": 40},
            "noise": {"kind": "uniform", "p0": 0.2},
            "methods": ["standard", "robust"],
            "replicates": 2,
            "table": {"columns": ["noise", "share"]},
            "scenarios": {"s": {"row": ["flipped", "20"]}},
        }
    },
    "figures": {"more_curve": {"layout": "noise_curve", "of": ["more"], "metric": "accuracy"}},
}


def test_beyond_is_made_by_itself_and_changes_nothing_of_the_report(finished, copy_of_finished):
    clone = copy_of_finished
    before = {name: clone.path(f"results/{name}").read_bytes() for name in ("runs.parquet", "manifest.json")}
    clone.add(MORE)
    assert clone.planned() == {}
    assert {"beyond", "more", "more_curve"} <= set(clone.run("--list-target-rules", "--quiet", "all").split())
    planned = clone.planned("beyond")
    assert {rule: planned[rule] for rule in ("prepare", "fit", "combine", "tabulate", "plot")} == {
        "prepare": 1,
        "fit": 2,
        "combine": 1,
        "tabulate": 1,
        "plot": 1,
    }
    assert not {"judge", "manifest", "provenance"} & set(planned)
    clone.run("--cores", "2", "beyond")
    assert set(read_table(clone.path("results/runs/more.parquet"))["experiment"]) == {"more"}
    assert clone.path("results/tables/more.tex").is_file() and clone.path("results/figures/more_curve.pdf").is_file()
    assert clone.planned() == {} == clone.planned("beyond")
    assert before == {name: clone.path(f"results/{name}").read_bytes() for name in before}


def test_one_part_of_it_and_a_quick_look(clone):
    clone.add(MORE, {"experiments": {"more": {"replicates": 40}}})
    clone.add({"experiments": {"more": {"replicates_per_job": 10}}})
    assert clone.planned("more")["fit"] == 8
    assert clone.planned("more", "--config", "replicates=5")["fit"] == 2
    said = clone.run("--dry-run", "--cores", "1", "--config", "only=[more]", ok=False)
    assert "only: 'more' is beyond the report, and no part of `all`; run `snakemake --cores N more`" in said
