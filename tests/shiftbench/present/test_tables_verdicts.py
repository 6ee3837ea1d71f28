"""The page of verdicts, and the text that ends a run."""

import re

from made_up_tables import PUBLISHED, make_runs, texts
from shiftbench.present import formats
from shiftbench.present.verdicts_page import summary, verdict_table
from shiftbench.verdicts.judge import judge

COUNTS = "7 published numbers and claims: 3 reproduced, 1 better, 2 worse, 1 not comparable."


def test_the_verdicts_and_their_counts():
    verdicts = judge(PUBLISHED, make_runs())[0]
    table = verdict_table(verdicts, PUBLISHED)
    assert table.caption == COUNTS and len(table.lines) == 7 and table.groups == [0, 6]
    assert texts(table)[1] == ["Table 1", "0.0", "robust", "80.20 ± 0.50", "90.50 ± 0.10", "+20.20", "▲ better"]
    assert texts(table)[6] == ["Table 1", "9", "F1", "81", "", "", "not comparable"]
    assert COUNTS in formats.page(table) and "gain: it &lt;wins&gt;" in formats.page(table)
    text = summary(verdicts, PUBLISHED, {})
    assert text.endswith(f"\n\n{COUNTS}\n") and len(text.splitlines()) == 1 + 6 + 2
    assert re.search(r"one +0\.0 +robust +80\.20 ± 0\.50 +90\.50 ± 0\.10 +\+20\.2[0-9]?  better\n", text)
    assert text.count("worse  (it <wins>)") == 1 and "F1" not in text
    standin = {"title": "62 tissues", "how_to_get": "put colon.csv into the mirror"}
    sources = {"colon": {"kind": "standin"} | standin, "words": {"kind": "real"} | standin}
    lines = summary(verdicts, PUBLISHED, sources).splitlines()
    assert lines[-2:] == ["Stand-in data, not the real colon (62 tissues).", "  put colon.csv into the mirror"]
    assert text.splitlines() == lines[:-2]


def test_a_quick_look_says_so_at_the_end():
    verdicts = judge(PUBLISHED, make_runs(data="quick"))[0]
    assert "(quick look)" in formats.page(verdict_table(verdicts, PUBLISHED))
    assert summary(verdicts, PUBLISHED, {}).splitlines()[-1].startswith("A quick look")
    assert summary(judge(PUBLISHED, make_runs())[0], PUBLISHED, {}, quick=True).splitlines()[-1].startswith("A quick")
