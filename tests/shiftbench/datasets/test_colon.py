"""The colon-cancer data: reading, preparing, the stand-in, and what the methods find in it."""

import copy
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from shiftbench import fit, tuner
from shiftbench.config import plan
from shiftbench.config.load import complete
from shiftbench.datasets import base, colon
from shiftbench.fetch import sources

ROOT = Path(__file__).parents[3]
PROJECT = yaml.safe_load((ROOT / "config.yaml").read_text())
PREPROCESSING = {"log": True, "per_array": True, "per_gene": True}
SENSITIVITY = {name: one["data"] for name, one in PROJECT["experiments"]["preprocessing"]["scenarios"].items()}


def quick_config():
    """Table 2 and the preprocessing with grids of a few values."""
    config = copy.deepcopy({key: PROJECT[key] for key in ("methods", "experiments")})
    config["experiments"] = {name: config["experiments"][name] for name in ("table2", "preprocessing")}
    for experiment in config["experiments"].values():
        experiment["tuning"] |= {"repeats": 1, "alphas": {"weakest": 0.01, "points": 8}}
        for method in experiment["methods"].values():
            if "lam" in method.get("grid", {}):
                method["grid"] = {"lam": [1.0, 0.4, 0.1]}
    config["experiments"]["table2"]["methods"]["flipping"]["params"] = {"n_init": 2}
    return complete(config)


QUICK = quick_config()
ROWS = [(place, name) for place in ("tissues", "raw", "log") for name in plan.methods_of(QUICK, "table2", place)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("colon")
    colon.write_standin(made)
    (made / "provenance.json").write_text(json.dumps({"kind": "standin"}))
    return made


@pytest.fixture(scope="module")
def data(folder):
    return colon.read(folder)


def load(folder, scenario="tissues", **settings):
    """The first replicate."""
    about = colon.DEFAULTS | settings | {"folders": {"alon1999": str(folder)}}
    return base.draw(colon, about, None, base.seed_of(f"table2.{scenario}", 0, None, 0), scenario, 0)


def load_as_in(folder, scenario):
    """The first replicate of a scenario of Table 2."""
    return load(folder, scenario, **QUICK["experiments"]["table2"]["scenarios"][scenario]["data"])


def test_standin_has_the_shape_and_the_names_of_the_real_data(data):
    assert data.intensities.shape == (62, 2000)
    assert data.labels.sum() == 40
    assert len(set(data.samples)) == 62
    assert data.suspected.sum() == 9
    assert {name[0] for name in data.samples[data.labels == 1]} == {"T"}


def test_standin_is_the_same_every_time(folder, tmp_path):
    colon.write_standin(tmp_path)
    for name in ("I2000.txt", "tissue.txt"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_planted_errors_lie_with_the_other_class(data):
    X = colon.preprocess(data.intensities, **PREPROCESSING)
    clean = ~data.suspected
    centres = [X[clean & (data.labels == label)].mean(axis=0) for label in (0, 1)]
    nearest = np.argmin([np.linalg.norm(X - centre, axis=1) for centre in centres], axis=0)
    assert (nearest != data.labels)[data.suspected].mean() > 0.8
    assert (nearest == data.labels)[clean].mean() > 0.8


@pytest.mark.parametrize("steps", SENSITIVITY.values(), ids=SENSITIVITY)
def test_preprocessing(data, folder, steps):
    X = colon.preprocess(data.intensities, **steps)
    if steps["per_gene"]:
        np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-9)
        np.testing.assert_allclose(X.std(axis=0), 1.0)
    elif steps["per_array"]:
        np.testing.assert_allclose(X.std(axis=1), 1.0)
    else:
        np.testing.assert_array_equal(X, np.log(data.intensities) if steps["log"] else data.intensities)
    np.testing.assert_array_equal(load(folder, **steps).parts["train"].X, X)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("tissue.txt", lambda text: text.replace("-1\n", "1\n", 1), "39 tumours and 23 normal tissues, not 40 and 22"),
        ("tissue.txt", lambda text: text.replace("-2\n", "-55\n", 1), "has no T2"),
        ("tissue.txt", lambda text: "<html>" + text, "is not a text file of numbers"),
        ("I2000.txt", lambda text: text[: len(text) // 2].rsplit(" ", 1)[0], "not 2000 genes x 62 tissues"),
        ("I2000.txt", lambda text: "-" + text, "not positive"),
    ],
)
def test_malformed_files_are_named(folder, tmp_path, file, change, message):
    for name in ("I2000.txt", "tissue.txt"):
        text = (folder / name).read_text()
        (tmp_path / name).write_text(change(text) if name == file else text)
    with pytest.raises(ValueError, match=message) as caught:
        colon.read(tmp_path)
    assert str(tmp_path / file) in str(caught.value)


def test_all_tissues_are_trained_on_and_nobody_knows_the_truth(folder, data, tmp_path):
    replicate = load(folder)
    assert list(replicate.parts) == ["train"]
    train = replicate.parts["train"]
    np.testing.assert_array_equal(train.labels, data.labels)
    assert train.truth is None and train.ids.tolist() == data.samples.tolist()
    assert set(train.ids[train.tags["suspected"]]) == {"T2", "T30", "T33", "T36", "T37", "N8", "N12", "N34", "N36"}
    assert set(train.ids[train.tags["published"]]) == {"T30", "T33", "T36", "N8", "N12", "N34", "N36"}
    assert replicate.about == {"origin": "standin", "positives": 40, "negatives": 22, "features": 2000}
    for name in ("I2000.txt", "tissue.txt"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "provenance.json").write_text(json.dumps({"kind": "real"}))
    assert load(tmp_path).about["origin"] == "report"


def job_of(experiment, method):
    return plan.fit_settings(QUICK, plan.Fit(experiment, method, 0), redrawn=False)


def run(experiment, method, replicate, chosen=None):
    return fit.run(job_of(experiment, method), replicate, {} if chosen is None else chosen)


def test_grid_goes_from_no_gene_downwards_and_prefers_the_larger_lam(folder):
    train = load(folder).parts["train"]
    job = job_of("table2", "robust")
    tuning = job["scenarios"]["tissues"]["tuning"]
    alphas = tuner.penalties(tuning, train)
    gradient = np.abs(train.X.T @ (train.labels - train.labels.mean())).max()
    assert alphas[0] == pytest.approx(gradient) and alphas == sorted(alphas, reverse=True) and len(alphas) == 8
    assert alphas[-1] == pytest.approx(0.01 * gradient)
    lams = [setting["lam"] for setting in tuner.Tuner(job["method"], tuning, None, 0)._grid(train)]
    assert lams == sorted(lams, reverse=True) and len(lams) == 24
    lightest = tuner.Tuner(job["method"], tuning, None, 0).fit_fixed({"alpha": alphas[0] * 1.001, "lam": 1.0}, train)
    assert not lightest.coef_.any() and not lightest.shifts_.any()
    assert (
        tuner.Tuner(job["method"], tuning, None, 0)
        .fit_fixed({"alpha": alphas[0] * 0.98, "lam": 1.0}, train)
        .coef_.any()
    )


@pytest.fixture(scope="module")
def chosen(folder):
    """What standard chose for the others."""
    found = {}
    for scenario in QUICK["experiments"]["table2"]["scenarios"]:
        run("table2", "standard", load_as_in(folder, scenario), found)
    return found


def test_every_method_of_table_2_is_in_one_of_its_scenarios():
    assert {name for _, name in ROWS} == set(QUICK["experiments"]["table2"]["methods"])
    assert {place for place, _ in ROWS} == set(QUICK["experiments"]["table2"]["scenarios"])


@pytest.mark.parametrize(("scenario", "name"), ROWS)
def test_every_row_of_the_config_finds_something_or_nothing(folder, chosen, scenario, name):
    replicate = load_as_in(folder, scenario)
    (rows, arrays), (again, arrays_again) = (run("table2", name, replicate, dict(chosen)) for _ in range(2))
    suspected = arrays[f"{scenario}/{name}/0/suspected"]
    assert suspected.dtype == bool and suspected.shape == (62,)
    assert rows[0]["status"] == "ok" and json.loads(rows[0]["params"])
    assert [row["params"] for row in rows] == [row["params"] for row in again]
    key = f"{scenario}/{name}/0/suspicion"
    np.testing.assert_array_equal(arrays[key], arrays_again[key])
    values = {row["metric"]: row["value"] for row in rows}
    tags = replicate.parts["train"].tags["suspected"]
    assert values["suspects_hit"] == sum(bool(one) for one, tag in zip(suspected, tags, strict=True) if tag)
    assert values["false_positives"] == sum(bool(one) for one, tag in zip(suspected, tags, strict=True) if not tag)
    names = set(replicate.parts["train"].ids[suspected])
    assert values["as_published"] == float(names == {"T30", "T33", "T36", "N8", "N12", "N34", "N36"})
    assert {row["data"] for row in rows} == {"standin"}


@pytest.mark.parametrize("name", SENSITIVITY)
def test_every_preprocessing_can_be_learned_from(folder, name):
    rows, _ = run("preprocessing", "robust", load(folder, **SENSITIVITY[name])._replace(scenario=name))
    assert rows[0]["status"] == "ok" and set(json.loads(rows[0]["params"])) == {"alpha", "lam"}


def test_tuning_never_sees_who_is_suspected(folder, monkeypatch):
    found = run("table2", "robust", load(folder))[0][0]["params"]
    monkeypatch.setattr(colon, "SUSPECTS", ("T1",))
    replicate = load(folder)
    assert replicate.parts["train"].tags["suspected"].sum() == 1
    assert run("table2", "robust", replicate)[0][0]["params"] == found


def test_the_list_of_suspects_has_the_largest_shift_first_and_its_direction():
    found = pd.DataFrame(
        {
            "id": ["T2", "N8", "T5"],
            "label": [1, 0, 1],
            "suspicion": [3.0, 2.0, 0.5],
            "suspected": [True, True, False],
            "truth": [None, None, None],
        }
    )
    shown = colon.list_suspects(found, {})
    assert list(shown) == ["sample", "label", "shift", "suspect", "direction_ok"]
    assert shown.to_numpy().tolist() == [
        ["T2", "tumour", 3.0, True, True],
        ["N8", "normal", -2.0, True, True],
        ["T5", "tumour", 0.5, False, True],
    ]
    turned = colon.list_suspects(found.assign(suspicion=-found["suspicion"]), {})
    assert not turned["direction_ok"].any()


def test_the_robust_model_finds_planted_errors(folder):
    job = job_of("table2", "joint")
    job["method"]["grid"] = {"lam": [0.1]}
    rows, arrays = fit.run(job, load_as_in(folder, "log"), {})
    values = {row["metric"]: row["value"] for row in rows}
    assert values["suspects_hit"] >= 7 and values["false_positives"] <= 10 and values["right_signs"] == 1.0
    suspicion, suspected = (arrays[f"log/joint/0/{name}"] for name in ("suspicion", "suspected"))
    assert (suspicion[suspected] > 0.0).all() and (suspicion[~suspected] == 0.0).all()


@pytest.mark.skipif(not os.environ.get("SHIFTLR_MIRROR"), reason="the real tissues need SHIFTLR_MIRROR")
def test_real_tissues(tmp_path):
    source = sources.load(ROOT / "workflow" / "sources.yaml")["alon1999"]
    place = tmp_path / "alon1999"
    mirror = {"mirror": os.environ["SHIFTLR_MIRROR"], "on_missing": "error"}
    sources.fetch("alon1999", source, place, unreachable=tmp_path / "no.json", **mirror)
    config = complete(PROJECT)
    replicate = load(place)
    _, arrays = fit.run(plan.fit_settings(config, plan.Fit("table2", "robust", 0), redrawn=False), replicate, {})
    suspected = arrays["tissues/robust/0/suspected"]
    assert set(replicate.parts["train"].ids[suspected]) == set(colon.FOUND_BY_THE_REPORT)
