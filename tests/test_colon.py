"""The colon-cancer data: reading, preparing, the stand-in, and what the methods find in it."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from shiftlr import formats
from shiftlr.config import colon_row, complete
from shiftlr.datasets import colon, sources
from shiftlr.suspect_figures import map_figure, stability_figure
from shiftlr.suspect_tables import sensitivity_table, table2
from shiftlr.suspects import as_rows, count_map, facts, find, joint_grid, penalties, shifted, stability, strongest
from shiftlr.tables import Cell

ROOT = Path(__file__).parents[1]
CONFIG = complete(yaml.safe_load((ROOT / "config.yaml").read_text()))
QUICK = CONFIG["colon"] | {"repeats": 1, "strengths": 8, "lams": [1.0, 0.4, 0.1], "restarts": 2, "resamples": 5}
PREPROCESSING = CONFIG["colon"]["preprocessing"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("colon")
    colon.write_standin(made)
    return made


@pytest.fixture(scope="module")
def data(folder):
    return colon.read(folder)


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


@pytest.mark.parametrize("steps", CONFIG["colon"]["sensitivity"].values())
def test_preprocessing(data, steps):
    X = colon.preprocess(data.intensities, **steps)
    if steps["per_gene"]:
        np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-9)
        np.testing.assert_allclose(X.std(axis=0), 1.0)
    elif steps["per_array"]:
        np.testing.assert_allclose(X.std(axis=1), 1.0)
    else:
        np.testing.assert_array_equal(X, np.log(data.intensities) if steps["log"] else data.intensities)


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


def test_grid_goes_from_no_gene_downwards_and_prefers_the_larger_lam(data):
    X = colon.preprocess(data.intensities, **PREPROCESSING)
    alphas = penalties(X, data.labels, QUICK)
    assert alphas[0] == pytest.approx(strongest(X, data.labels)) and alphas == sorted(alphas, reverse=True)
    lams = [setting["lam"] for setting in joint_grid(X, data.labels, QUICK)]
    assert lams == sorted(lams, reverse=True) and len(lams) == 24
    counts = count_map(QUICK, X, data)
    assert counts.loc[counts["lam"] == 1.0, ["hits", "false_positives"]].to_numpy().max() == 0
    assert counts.loc[(counts["lam"] == 1.0) & (counts["kappa"] == counts["kappa"].max()), "nonzero_genes"].item() <= 1


@pytest.mark.parametrize("name", [*CONFIG["colon"]["rows"], *CONFIG["colon"]["sensitivity"]])
def test_every_row_of_the_config_finds_something_or_nothing(data, name):
    found = find(colon_row(CONFIG, name), QUICK, data)
    again = find(colon_row(CONFIG, name), QUICK, data)
    assert found.named.dtype == bool and found.named.shape == (62,)
    assert found.params and found.params == again.params
    np.testing.assert_array_equal(found.score, again.score)


@pytest.fixture(scope="module")
def rows(data):
    names = [*CONFIG["colon"]["rows"], *CONFIG["colon"]["sensitivity"]]
    default = as_rows(find(colon_row(CONFIG, CONFIG["colon"]["default"]), QUICK, data), data)
    return dict.fromkeys(names, default)


def test_tuning_never_sees_who_is_suspected(data, monkeypatch):
    found = find(colon_row(CONFIG, "robust"), QUICK, data)
    monkeypatch.setattr(colon, "SUSPECTS", ("T1",))
    assert find(colon_row(CONFIG, "robust"), QUICK, data).params == found.params


def test_suspects_file(rows):
    found = shifted(rows["robust"])
    assert list(found) == ["sample", "label", "shift", "suspect", "direction_ok"]
    assert found["shift"].abs().is_monotonic_decreasing and (found["shift"] != 0.0).all()
    assert found["direction_ok"].all()
    turned = shifted(rows["robust"].assign(score=-rows["robust"]["score"]))
    assert not turned["direction_ok"].any()


def test_table2(rows):
    table = table2(QUICK, {name: rows[name] for name in QUICK["rows"]}, is_standin=False)
    published = next(line for line in table.lines if line[0].text == "robust LR, as published")
    assert [cell.text for cell in published[1:]] == ["", "•", "•", "•", "", "•", "•", "•", "•", ""]
    named = rows["robust"].query("named and suspect")["sample"]
    ours = table.lines[table.groups[1]]
    assert [head for head, cell in zip(table.head, ours, strict=True) if cell == Cell("•")] == [
        head for head in table.head if head in set(named)
    ]
    assert "Stand-in data" not in table.caption
    assert "Stand-in data" in table2(QUICK, {"robust": rows["robust"]}, is_standin=True).caption
    assert "Stand-in data" in sensitivity_table(QUICK, rows, is_standin=True).caption
    assert len(sensitivity_table(QUICK, rows, is_standin=False).lines) == 1 + len(QUICK["sensitivity"])


def test_only_latex_has_latex_in_it(rows):
    table = table2(QUICK, {name: rows[name] for name in QUICK["rows"]}, is_standin=False)
    assert r"$\lambda$" in formats.tex(table)
    for write in (formats.markdown, formats.page, formats.csv):
        assert "$" not in write(table) and "λ" in write(table)


def test_facts_say_what_they_were_found_on(rows):
    real, standin = facts(rows["robust"], False), facts(rows["robust"], True)
    assert set(real["data"]) == {"report"} and set(standin["data"]) == {"standin"}
    values = real.set_index("key")["value"]
    named = rows["robust"].query("named")
    assert values["colon:suspects"] == named["suspect"].sum()
    assert values["colon:false_positives"] == (~named["suspect"]).sum()


def test_figures_mark_standins(data, rows):
    X = colon.preprocess(data.intensities, **PREPROCESSING)
    counts, chosen = count_map(QUICK, X, data), {"alpha": 2.0, "lam": 0.4}
    shares = stability(chosen, QUICK, X, data)
    assert shares["share"].between(0.0, 1.0).all()
    for standin in (False, True):
        for figure in (map_figure(counts, chosen, standin), stability_figure(shares, standin)):
            assert ("stand-in" in figure.axes[0].get_title()) == standin


@pytest.mark.skipif(not os.environ.get("SHIFTLR_MIRROR"), reason="the real tissues need SHIFTLR_MIRROR")
def test_real_tissues(tmp_path):
    source = sources.load(ROOT / "sources.yaml")["alon1999"]
    folder = tmp_path / "alon1999"
    sources.fetch(
        "alon1999",
        source,
        folder,
        unreachable=tmp_path / "no.json",
        mirror=os.environ["SHIFTLR_MIRROR"],
        on_missing="error",
    )
    real = colon.read(folder)
    found = find(colon_row(CONFIG, "robust"), CONFIG["colon"], real)
    named = pd.Series(real.samples)[found.named]
    assert {"T30", "T33", "T36", "N8", "N34", "N36"} <= set(named)
    # the six have the largest shifts, whatever else has one
    assert set(named.loc[np.argsort(-np.abs(found.score))[:6]]) == {"T30", "T33", "T36", "N8", "N34", "N36"}
