"""Figures: what they show is true of the data behind them, and they are saved whole and the same every time."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.special import logit
from shiftbench import plugins
from shiftbench.catalog import Catalog
from shiftbench.config.load import complete
from shiftbench.present import figures
from shiftbench.present.context import Context
from shiftbench.present.figures.figure1 import SUSPICIOUS, simulate_masking
from shiftbench.present.figures.figure2 import fit_one_dimension
from shiftbench.present.style import save
from shiftbench.runs import COLUMNS, Runs

ROOT = Path(__file__).parents[3]
CONFIG = complete(yaml.safe_load((ROOT / "config.yaml").read_text()))
WITHOUT_RUNS = ["figure1", "figure2", "plate"]
OF_RUNS = [
    *("colon_map", "colon_map_log", "colon_stability", "figure3", "label_errors", "noise_curve", "prefilter_rules"),
    *("multiclass", "rivals", "planted", "real_noise"),
]


def make(name, settings=None, folder=None):
    module = plugins.load_file("figures", name, folder)
    runs = Runs(pd.DataFrame(columns=list(COLUMNS)), {})
    return figures.make(module, Context(name, {"of": []} | (settings or {}), CONFIG, runs, None, None))


@pytest.mark.parametrize("name", WITHOUT_RUNS)
def test_every_figure_is_saved_the_same_at_any_time(name, tmp_path, monkeypatch):
    saved = []
    for seconds in ("1000000000", "2000000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)  # the clock of whatever still writes a time
        paths = [tmp_path / f"{name}.{kind}" for kind in ("pdf", "png")]
        save(make(name)[0], *paths)
        saved.append([path.read_bytes() for path in paths])
    assert saved[0] == saved[1]
    assert saved[0][0].startswith(b"%PDF") and b"CreationDate" not in saved[0][0]
    assert saved[0][1].startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{name}.pdf", f"{name}.png"]


def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path):
    class Broken:
        def savefig(self, path, **_):
            path.write_text("half a fig")
            raise OSError("disk full")

    target = tmp_path / "plate.png"
    target.write_text("old")
    with pytest.raises(OSError, match="disk full"):
        save(Broken(), target)
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]
    with pytest.raises(ValueError, match=r"plate\.jpg: a figure is saved as one of \.pdf, \.png"):
        save(make("plate")[0], tmp_path / "plate.jpg")


@pytest.mark.parametrize("name", ["figure1", "figure2"])
def test_the_legend_covers_no_data(name):
    figure, _ = make(name)
    figure.draw_without_rendering()
    assert not figure.legends[0].get_window_extent().overlaps(figure.axes[0].get_window_extent())


def test_outliers_are_masked_and_clean_examples_swamped():
    data = simulate_masking()
    outlier = data.is_outlier
    np.testing.assert_array_equal(data.masked, outlier)
    assert data.swamped.any() and not (data.swamped & outlier).any()
    # the most suspicious examples are clean, and nothing but the outliers makes them so
    assert data.residuals[data.swamped].min() > data.residuals[outlier].max()
    assert data.clean_residuals.max() <= SUSPICIOUS
    # beside the line of the clean examples every outlier would stand out
    noise = np.std(data.y[~outlier] - np.polyval(data.clean_line[::-1], data.x[~outlier]), ddof=2)
    away = np.abs(data.y - np.polyval(data.clean_line[::-1], data.x))[outlier]
    assert away.min() > 2.0 * SUSPICIOUS * noise


@pytest.mark.parametrize("seed", range(5))
def test_the_band_holds_just_the_unsuspicious_examples(seed):
    data = simulate_masking(seed=seed)
    distances = np.abs(data.y - data.line[0] - data.line[1] * data.x)
    np.testing.assert_allclose(distances / data.unsuspicious(data.x), data.residuals / SUSPICIOUS)


def test_the_robust_sigmoid_is_nearer_to_the_true_one():
    data = fit_one_dimension()
    assert data.distance(data.robust) < 0.7 * data.distance(data.standard)
    assert data.distance(data.true) == 0.0
    np.testing.assert_allclose(logit(data.true), 2.0 * data.grid, atol=1e-8)
    assert np.all(data.y[data.is_flipped] == 1)


def test_the_robust_fit_without_shifts_is_the_standard_one():
    data = fit_one_dimension(lams=[1.0])
    assert data.lam == 1.0
    np.testing.assert_allclose(data.robust, data.standard, atol=1e-6)


def test_settings_reach_the_data():
    assert len(simulate_masking(clean=10, outliers=2).x) == 12
    assert not fit_one_dimension(n=50, p0=0.0).is_flipped.any()
    figure, table = make("figure1", {"clean": 10, "outliers": 2})
    assert figure.axes and len(table) == 12 and table["outlier"].sum() == 2


def test_the_numbers_of_a_figure_stand_beside_it():
    masking, data = make("figure1")[1], simulate_masking()
    np.testing.assert_array_equal(masking["swamped"], data.swamped)
    np.testing.assert_allclose(masking["line"], np.polyval(data.line[::-1], data.x))
    sigmoids = make("figure2", {"n": 50})[1]
    assert sigmoids.groupby("series").size().to_dict().items() >= {"true": 401, "standard": 401, "robust": 401}.items()
    assert sigmoids["series"].str.endswith("example").sum() == 50
    assert sigmoids.loc[sigmoids["series"] == "robust", "lam"].nunique() == 1
    assert make("plate")[1].columns.tolist() == ["from", "to"]


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("figure1", {"sed": 1}, r"figure1: unknown settings \['sed'\]; known are \['seed', 'clean', 'outliers'"),
        ("figure2", {"seed": 1, "p1": 0.1}, r"figure2: unknown settings \['p1'\]; known are \['seed', 'n', 'p0'"),
        ("plate", {"n": 3}, r"plate: unknown settings \['n'\]; known are \[\]"),
        ("figure1", {"clean": 2}, "clean=2: must be a whole number at least 3"),
        ("figure2", {"p0": 1.5}, r"p0=1\.5: must be"),
    ],
)
def test_bad_settings_are_refused(name, settings, message):
    with pytest.raises(ValueError, match=message):
        make(name, settings)


@pytest.mark.parametrize("name", [*WITHOUT_RUNS, *OF_RUNS])
def test_every_figure_keeps_the_contract(name):
    module = plugins.load_file("figures", CONFIG["figures"][name]["layout"])
    assert module.CAPTION.endswith(".") and callable(module.compute) and callable(module.draw)
    assert figures.unknown_settings(module, CONFIG["figures"][name]) == []
    assert Catalog().layout_problems("figures", CONFIG["figures"][name]) == []
    assert getattr(module, "NEEDS_DATA", False) == name.startswith("colon_")


def test_every_file_is_a_figure_of_the_config():
    assert {*WITHOUT_RUNS, *OF_RUNS} == set(CONFIG["figures"])
    assert set(plugins.files("figures")) == {about["layout"] for about in CONFIG["figures"].values()}


def test_a_figure_of_the_users_own(tmp_path):
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "dots.py").write_text(
        "import pandas as pd\nfrom matplotlib.figure import Figure\nSETTINGS = {'n': 3}\n"
        "def compute(context):\n    return pd.DataFrame({'x': range(context.settings['n'])})\n"
        "def draw(data, context):\n    figure = Figure()\n    figure.subplots().plot(data['x'])\n    return figure\n"
    )
    assert len(make("dots", folder=tmp_path)[1]) == 3
    figure, table = make("dots", {"n": 5}, tmp_path)
    assert len(table) == len(figure.axes[0].lines[0].get_xdata()) == 5
    with pytest.raises(ValueError, match=r"dots: unknown settings \['m'\]; known are \['n'\]"):
        make("dots", {"m": 1}, tmp_path)
