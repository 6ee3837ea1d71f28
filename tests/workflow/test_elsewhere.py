"""A quick look in another directory, with the kernels that stand beside the Snakefile."""

import shutil

import pandas as pd
from shiftlr.kernels import fingerprint


def files_below(folder):
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_quick_look_in_another_directory(clone, kernels, tmp_path):
    shutil.copytree(kernels / fingerprint(), clone.path(".kernels") / fingerprint())
    clone.add(
        {
            "experiments": {
                "table1": {"quick": {"data": {"train": 40}}},
                "other": {
                    "dataset": "simulated",
                    "data": {"train": 50, "dev": 50, "test": 50},
                    "methods": ["standard"],
                },
            }
        }
    )
    before = files_below(clone.folder)
    elsewhere = tmp_path / "elsewhere"
    quick = ("--cores", "2", "--directory", str(elsewhere), "--config", "replicates=2")
    printed = clone.run(*quick, SHIFTLR_KERNELS=None)
    assert files_below(clone.folder) == before  # and no job has compiled anything

    assert elsewhere.joinpath("results/manifest.json").exists()
    runs = pd.read_parquet(elsewhere / "results/runs.parquet")
    fits = runs[(runs["method"] == "robust") & (runs["metric"] == "accuracy")]
    assert fits["replicate"].tolist() == [0, 1, 0, 1]

    assert "published numbers and claims" in printed and "A quick look" in printed
    caption = {name: (elsewhere / f"results/tables/{name}.md").read_text() for name in ("table1", "other")}
    for text in caption.values():  # fewer replicates are a quick look too
        assert "Quick look: few replicates or smaller data" in text
    verdicts = pd.read_csv(elsewhere / "results/verdicts.csv")
    of_p30 = verdicts[(verdicts["table"] == "table1") & (verdicts["row"] == "0.3 / 0.0 / no")]
    assert set(of_p30["data"]) == {"quick"} and of_p30["ours"].notna().all()
    assert set(verdicts["verdict"]) == {"not_comparable"} and verdicts["on_other_data"].isna().all()

    assert "Nothing to be done" in clone.run(*quick, SHIFTLR_KERNELS=None)
    printed = clone.run(*quick, "--forcerun", "provenance", "--until", "provenance", SHIFTLR_KERNELS=None)
    assert "Finished jobid" in printed and "published numbers and claims" not in printed  # it has judged nothing
