"""The table of standard errors: which published ones are smaller than a test set of 500 examples allows."""

from math import ceil, sqrt

import pandas as pd
import pytest
from made_up_tables import build
from made_up_tissues import PUBLISHED, WHOLE
from shiftbench.config.load import complete
from shiftbench.present import formats
from shiftbench.runs import COLUMNS, Runs


def make(**settings):
    config = {key: WHOLE[key] for key in ("methods", "experiments", "tables")}
    about = config["tables"]["standard_errors"] | settings
    config = complete(config | {"tables": {"standard_errors": about}})
    return build("standard_errors", config, Runs(pd.DataFrame(columns=list(COLUMNS)), {}), PUBLISHED)


def test_every_published_accuracy_of_table_7_has_a_line():
    data = make().data
    stated = PUBLISHED[(PUBLISHED["table"] == "table7") & PUBLISHED["ours"].str.endswith(":accuracy")]
    stated = stated[(stated["relation"] == "=") & stated["se"].notna()]
    assert data["id"].tolist() == stated["id"].tolist() and len(data) == 16  # four methods in four experiments
    assert data["published_se"].tolist() == stated["se"].tolist()


def test_the_smallest_standard_error_is_that_of_a_share_of_the_test_examples():
    for row in make().data.itertuples():
        share = row.published / 100.0
        assert row.smallest == pytest.approx(100.0 * sqrt(share * (1.0 - share) / (500 * 100)), rel=1e-12)
    # flipping has 87.14 ± 0.13 and 85.00 ± 0.12: sqrt(0.8714 * 0.1286 / 50,000) and sqrt(0.85 * 0.15 / 50,000)
    smallest = make().data.set_index("id")["smallest"]
    assert smallest["table7.exp1.flipping"] == pytest.approx(0.1497, abs=5e-5)
    assert smallest["table7.exp2.flipping"] == pytest.approx(0.1597, abs=5e-5)


def test_only_flipping_in_experiments_1_and_2_is_impossible():
    table = make()
    impossible = table.data[~table.data["possible"]]
    assert impossible["id"].tolist() == ["table7.exp1.flipping", "table7.exp2.flipping"]
    bold = [[cell.text for cell in line[:2]] for line in table.lines if line[5].bold]
    assert bold == [["1", "flipping"], ["2", "flipping"]]
    assert [line[5].text for line in table.lines].count("no") == 2
    assert table.head[4:] == ["smallest s.e.", "possible", "replicates at least"]
    assert "over 100 replicates" in table.caption and "smallest" in formats.csv(table)


def test_replicates_needed_are_the_fewest_that_allow_the_printed_error():
    """The report prints two decimals: up to 0.005 more may have been cut off."""
    for row in make().data.itertuples():
        share, most = row.published / 100.0, (row.published_se + 0.005) / 100.0

        def least(replicates, share=share):
            return sqrt(share * (1.0 - share) / (500 * replicates))

        assert least(row.replicates_needed) <= most < least(row.replicates_needed - 1)
        assert (row.replicates_needed > 100) == (not row.possible)
        assert row.replicates_needed == ceil(row.replicates_needed)


def test_with_more_replicates_smaller_errors_are_possible():
    data = make(replicates=400).data
    assert data["possible"].all() == (make().data["replicates_needed"].max() <= 400)
    assert (2.0 * data["smallest"]).tolist() == pytest.approx(make().data["smallest"].tolist())
