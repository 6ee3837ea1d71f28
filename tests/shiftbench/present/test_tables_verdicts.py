"""The page of verdicts, and the text that ends a run."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from made_up_tables import PUBLISHED, make_runs, texts
from shiftbench.present import formats
from shiftbench.present.table import as_printed
from shiftbench.present.verdicts_page import needed_text, summary, verdict_table
from shiftbench.verdicts.judge import judge

COUNTS = (
    "7 published numbers and claims: 3 reproduced, 1 better, 1 worse, 0 different, 0 contradicted, 1 inconclusive, "
    "1 not comparable."
)


def test_the_verdicts_and_their_counts():
    verdicts = judge(PUBLISHED, make_runs())[0]
    rain = SimpleNamespace(title="Rain", reason="It rained.")
    sun = SimpleNamespace(title="Sun", reason="never said of what reproduced")
    table = verdict_table(verdicts, PUBLISHED, {"s2": rain, "r1": rain, "s1": sun})
    assert table.caption == COUNTS and len(table.lines) == 7 and table.groups == [0, 1, 2, 3, 6]
    assert table.head == ["verdict", "place", "row", "what", "relation", "report", "ours", "z", "remarks"]
    lines = texts(table)
    worse = ["▼ worse", "Table 1", "0.3", "standard", "=", "79.00 ± 0.50", "70.00 ± 1.00", "-8.05", "It rained."]
    assert lines[0] == worse  # failures first
    assert lines[1][:6] == ["? inconclusive", "Table 1", "0.0", "gain: it <wins>", "> 0", "9.00"]
    assert lines[1][7] == "" and re.fullmatch(r"About [\d,]+ replicates would tell \(now 3\)\.", lines[1][8])
    better = ["▲ better", "Table 1", "0.0", "robust", "=", "80.20 ± 0.50", "90.50 ± 0.10", "+20.20", "Rain: see above."]
    assert lines[2] == better
    assert lines[6] == ["not comparable", "Table 1", "9", "F1", "=", "81.00", "", "", ""]
    assert "never said" not in str(lines)
    assert COUNTS in formats.page(table) and "gain: it &lt;wins&gt;" in formats.page(table)


def test_the_text_that_ends_a_run():
    verdicts = judge(PUBLISHED, make_runs())[0]
    text = summary(verdicts, PUBLISHED, {})
    assert text.endswith(f"\n\n{COUNTS}\n") and len(text.splitlines()) == 1 + 6 + 2
    assert re.search(r"one +0\.0 +robust +80\.20 ± 0\.50 +90\.50 ± 0\.10 +\+20\.2[0-9]?  better\n", text)
    assert "inconclusive  (it <wins>; about" in text and "F1" not in text
    assert text.index("worse") < text.index("inconclusive") < text.index("better") < text.index("reproduced")
    standin = {"title": "62 tissues", "how_to_get": "put colon.csv into the mirror"}
    sources = {"colon": {"kind": "standin"} | standin, "words": {"kind": "real"} | standin}
    lines = summary(verdicts, PUBLISHED, sources).splitlines()
    assert lines[-2:] == ["Stand-in data, not the real colon (62 tissues).", "  put colon.csv into the mirror"]
    assert text.splitlines() == lines[:-2]


def test_claims_on_other_data_say_so():
    verdicts = judge(PUBLISHED, make_runs(data="other"))[0]
    table = verdict_table(verdicts, PUBLISHED)
    assert texts(table)[0][0] == "not comparable (other data: inconclusive there)"
    assert texts(table)[1][0] == "not comparable (other data: reproduced there)"
    wanted = "2 are claims that were tried on other data: 1 reproduced, 0 contradicted, 1 inconclusive."
    assert table.caption.endswith(wanted)
    text = summary(verdicts, PUBLISHED, {})
    assert "reproduced on other data" in text and "inconclusive on other data" in text
    assert len(text.splitlines()) == 1 + 2 + 2


@pytest.mark.parametrize(
    ("needed", "replicates", "text"),
    [
        (47.2, 10, "about 48 replicates would tell (now 10)"),
        (1234.0, 100, "about 1,300 replicates would tell (now 100)"),
        (np.inf, 100, "no number of replicates would tell: the difference is nothing (now 100)"),
        (np.nan, 1, "more replicates would tell (now 1)"),
        (np.nan, np.nan, "the error is that of the test set: more replicates would not tell"),
    ],
)
def test_how_many_replicates_would_tell(needed, replicates, text):
    row = SimpleNamespace(verdict="inconclusive", on_other_data="", replicates=replicates, replicates_needed=needed)
    assert needed_text(row) == text
    row.verdict = "reproduced"
    assert needed_text(row) == ""


@pytest.mark.parametrize(
    ("value", "digits", "se", "text"),
    [
        (96.376, 2, 0.0874, "96.38 ± 0.09"),
        (125617.0, 0, 0.0, "125,617"),
        (6.8, 0, 0.2, "6.8 ± 0.2"),
        (12.0, 0, 3.0, "12.0 ± 3.0"),
        (0.99, 0, 0.0100, "0.99 ± 0.01"),
        (-0.00304, 2, 0.00134, "-0.003 ± 0.001"),
        (0.5, 2, 1e-9, "0.5000 ± 0.0000"),
        (0.37203, 3, np.nan, "0.372"),
        (np.nan, 2, np.nan, ""),
    ],
)
def test_numbers_are_rounded_as_in_the_report(value, digits, se, text):
    assert as_printed(value, digits, se) == text


def test_a_quick_look_says_so_at_the_end():
    verdicts = judge(PUBLISHED, make_runs(data="quick"))[0]
    assert "(quick look)" in formats.page(verdict_table(verdicts, PUBLISHED))
    assert summary(verdicts, PUBLISHED, {}).splitlines()[-1].startswith("A quick look")
    assert summary(judge(PUBLISHED, make_runs())[0], PUBLISHED, {}, quick=True).splitlines()[-1].startswith("A quick")
