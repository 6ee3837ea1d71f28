"""Figures: what they show is true of the data behind them, and they are saved whole and the same every time."""

import numpy as np
import pytest
from scipy.special import logit
from shiftlr.figures import FIGURES, SUSPICIOUS, fit_one_dimension, save, simulate_masking


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_saved_the_same_at_any_time(name, tmp_path, monkeypatch):
    saved = []
    for seconds in ("1000000000", "2000000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)  # the clock of whatever still writes a time
        paths = [tmp_path / f"{name}.{kind}" for kind in ("pdf", "png")]
        save(FIGURES[name]({}), *paths)
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
        save(FIGURES["plate"](), tmp_path / "plate.jpg")


@pytest.mark.parametrize("name", ["figure1", "figure2"])
def test_the_legend_covers_no_data(name):
    figure = FIGURES[name]({})
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
    assert FIGURES["figure1"]({"outliers": 2}).axes


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
        FIGURES[name](settings)
