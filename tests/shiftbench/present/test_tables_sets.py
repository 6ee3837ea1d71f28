"""The table of sets of suspects: how often each comes out, and which of them the report published."""

from io import StringIO

import pandas as pd
from made_up_tables import texts
from made_up_tissues import DEFAULT, SEVEN, make_table2
from shiftbench.present import formats

SUMS = "robust, penalties of the sum, scaled genes"


def make(replicates=5, **more):
    return make_table2(replicates, name="suspect_sets", **more)


def lines_of(table, title):
    """The lines of one method: the first has its title, the others none."""
    lines = texts(table)
    start = next(k for k, line in enumerate(lines) if line[0] == title)
    end = next((k for k in range(start + 1, len(lines)) if lines[k][0]), len(lines))
    return lines[start:end]


def test_the_commonest_set_of_each_method_is_first():
    table = make()
    assert table.head == ["method", "seeds", "suspects", "false positives", "as published"]
    common, rare = lines_of(table, DEFAULT)
    assert common[1] == "3 of 5" and set(common[2].split()) == {"T33", "N12"} and common[3:] == ["T9", ""]
    assert rare[:2] == ["", "2 of 5"] and set(rare[2].split()) == {"T30", "N8", "N36"}
    assert set(rare[3].split(", ")) == {"T7", "N2"}


def test_the_published_set_is_marked():
    ((often, published),) = [lines_of(make(), SUMS)]  # with seeds 0, 2, 4 and with 1, 3
    assert often[1] == "3 of 5" and often[-1] == ""
    assert published[1] == "2 of 5" and set(published[2].split()) == set(SEVEN) and published[3:] == ["", "✓"]
    data = make().data
    assert data.loc[data["as_published"], "method"].tolist() == ["robust_sums", "robust_sums"]  # scaled genes, raw
    assert data.loc[data["as_published"], "others"].tolist() == ["", ""]


def test_an_empty_set_is_a_set_too():
    (line,) = lines_of(make(), "robust, joint cross-validation, logarithms")
    assert line[1:] == ["5 of 5", "", "", ""]


def test_groups_begin_where_methods_do():
    table = make()
    assert table.groups == [k for k, line in enumerate(texts(table)) if line[0]]
    # robust and robust_sums on scaled and on raw genes with two sets each, five methods on logarithms with none
    assert len(table.groups) == 4 + 5 and len(table.lines) == 2 * 4 + 5 and table.notes == []


def test_only_the_commonest_are_shown_if_asked_and_the_csv_has_all():
    table = make(tables={"suspect_sets": {"layout": "suspect_sets", "of": ["table2"], "most": 1}})
    assert len(lines_of(table, DEFAULT)) == 1 and lines_of(table, DEFAULT)[0][1] == "3 of 5"
    assert table.notes == ["At most 1 sets of each method are shown; the CSV has all."]
    data = pd.read_csv(StringIO(formats.csv(table)))
    mine = data[(data["scenario"] == "tissues") & (data["method"] == "robust")]
    assert mine["times"].tolist() == [3, 2] and set(mine["replicates"]) == {5} and set(mine["data"]) == {"report"}


def test_a_failed_method_has_no_line():
    titles = {line[0] for line in texts(make(failed=["robust_sums"]))}
    assert DEFAULT in titles and SUMS not in titles
