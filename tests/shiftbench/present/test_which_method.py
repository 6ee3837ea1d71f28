"""The page that says which method to use: it is made from its numbers, and its sentences say what they say."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shiftbench.present.tables.gains import MEAN
from shiftbench.present.which_method import COLUMNS, gather, main, markdown, outcomes, read_kept, write_kept

DOCS = Path(__file__).parents[3] / "docs"
TITLES = {"standard": "standard", "robust": "robust", "gce": "GCE", "oracle": "oracle"}
# gain and p of each method in each set, and the share of wrong labels
SETS = {
    "words": (0.02, {"robust": (-0.5, 0.01), "oracle": (1.0, 0.2)}),
    "songs": (0.30, {"robust": (2.0, 0.001), "gce": (3.0, 0.5), "oracle": (9.0, 0.001)}),
    "texts": (np.nan, {"robust": (-0.1, 0.9), "gce": (-1.0, 0.03)}),
}


def table(sets=SETS, origin="other"):
    """As the tables of gains have it, with comparisons that the page does not need."""
    rows = []
    for name, (share, gains) in sets.items():
        for method, (gain, p) in {"standard": (np.nan, np.nan), **gains}.items():
            given = {"experiment": "real", "scenario": name, "row": f"{name} / a crowd", "method": method, "p_holm": p}
            given |= {"ours": 80.0 + np.nan_to_num(gain), "difference": gain, "low": gain - 1.0, "high": gain + 1.0}
            given |= {"over": np.nan if method == "standard" else "standard", "title": TITLES[method], "data": origin}
            rows.append(given | {"share_wrong": share, "metric": "accuracy", "replicates": 5, "failed": 0})
            if method == "gce":
                rows.append(rows[-1] | {"over": "robust", "difference": 99.0})
    rows.append(rows[-1] | {"scenario": MEAN, "difference": 77.0})
    return pd.DataFrame(rows)


def write_tables(folder, real=None, simulated=None):
    (table() if real is None else real).to_csv(folder / "real_noise.csv", index=False)
    simulated = (
        table({"p30": (0.2, {"robust": (4.0, 0.001), "gce": (12.0, 0.001)})}) if simulated is None else simulated
    )
    simulated.drop(columns="share_wrong").to_csv(folder / "rivals.csv", index=False)


@pytest.fixture
def kept(tmp_path):
    write_tables(tmp_path)
    return gather(tmp_path)


def test_what_the_page_needs_is_kept_and_nothing_else(kept, tmp_path):
    assert list(kept.columns) == COLUMNS and len(kept) == 3 + 4 + 3 + 3
    assert not kept["difference"].isin([99.0, 77.0]).any() and set(kept["data"]) == {"real", "simulated"}
    write_kept(tmp_path / "kept.csv", kept)
    pd.testing.assert_frame_equal(read_kept(tmp_path / "kept.csv"), kept, check_dtype=False)


def test_outcomes_count_what_is_clear(kept):
    found = outcomes(kept[kept["data"] == "real"]).set_index("method")
    assert found.loc["robust", ["sets", "better", "worse"]].tolist() == [3, 1, 1]
    assert found.loc["gce", ["sets", "better", "worse"]].tolist() == [2, 0, 1]
    assert found["gain"]["robust"] == pytest.approx((2.0 - 0.5 - 0.1) / 3)


def test_sentences_are_filled_from_the_numbers(kept):
    page = markdown(kept)
    assert (
        "On 3 sets with real label noise the robust model is clearly better than the standard one on 1, clearly worse "
        "on 1, and cannot be told from it on 1; the mean gain is +0.47 points." in page
    )
    assert "Of the methods that can be used on all sets of real label noise, robust has the highest" in page
    assert "On 2 sets the true labels" in page and "+5.00 points away in the median" in page
    assert "of what is lost in sum over these sets the robust model wins back 15%" in page.lower()
    assert "| GCE | 2 | 0 | 1 | +1.00 |" in page and "| GCE | 1 | 1 | 0 | +12.00 |" in page
    assert "Clearly worse than standard: words / a crowd (-0.50)." in page
    assert "no further than chance allows: texts / a crowd (-0.10)." in page
    assert "Fewer than 5 % of the labels wrong: 1 sets, mean gain -0.50" in page and "Share not known: 1 sets" in page
    assert "songs / a crowd: GCE (1.00 above robust)" in page
    assert "| songs / a crowd | 30.0 | accuracy | 80.00 | 82.00 | +2.00 [+1.00, +3.00]* | GCE 83.00 | 89.00 |" in page


def test_other_numbers_make_another_page(kept):
    better = kept.assign(difference=kept["difference"].abs())
    assert "Clearly worse than standard: on no set." in markdown(better)
    nothing = markdown(kept[kept["method"] == "standard"])
    assert "It was not run." in nothing and "No model was trained on true labels." in nothing


@pytest.mark.parametrize("origin", ["standin", "quick"])
def test_numbers_of_other_runs_are_refused(tmp_path, origin):
    write_tables(tmp_path, table(origin=origin))
    with pytest.raises(ValueError, match=rf"real_noise.csv: real.words was run on {origin} data"):
        gather(tmp_path)


def test_the_page_is_written_with_and_without_tables(tmp_path, kept):
    write_tables(tmp_path)
    paths = [str(tmp_path / name) for name in ("kept.csv", "page.md")]
    main(str(tmp_path), *paths)
    first = (tmp_path / "page.md").read_text()
    (tmp_path / "page.md").unlink()
    main(*paths)
    assert (tmp_path / "page.md").read_text() == first == markdown(read_kept(paths[0]))


def test_the_project_s_page_is_made_from_the_numbers_beside_it():
    assert (DOCS / "which_method.md").read_text(encoding="utf-8") == markdown(read_kept(DOCS / "which_method.csv"))
