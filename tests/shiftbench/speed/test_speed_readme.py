"""README's section on speed is what the committed numbers give."""

from pathlib import Path

import pytest
from shiftbench.speed import readme, results
from shiftbench.speed.problem import OURS, ratio_to
from small_speed_problems import compared, row

ROOT = Path(__file__).parents[3]
ABOUT = {"date": "2001-02-03", "machine": "2 processors", "commit": "abc", "versions": "numpy 1"}


def test_the_section_is_up_to_date():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.section(*results.read(ROOT / "docs" / "speed.csv"))
    assert readme.put(text, section) == text, "run `make bench-readme`"


def test_losses_are_bold_and_named():
    found = compared(ratio_to("p", "q", at_least=1.0), row(OURS, 1.0), row("p", 0.25), row("q", 3.0), title="a problem")
    text = readme.section(ABOUT, found)
    assert "| a problem | 1e-6 | 1 s | p **0.25**, q 3 | ≥ 1 missed against p |" in text
    assert "Peers still win on: a problem (p, 0.25)." in text and "1 of 2 targets reached" in text


def test_what_was_not_measured_is_named_with_its_reason():
    text = readme.section(ABOUT, results.skipped("gone", "CoNLL", "run `make data` first"))
    assert "Not measured: CoNLL (skipped: run `make data` first)." in text and "| CoNLL" not in text
    assert "No peer was faster" in text


def test_only_the_section_is_replaced(tmp_path):
    page, summary = tmp_path / "README.md", tmp_path / "summary.csv"
    page.write_text(f"before\n{readme.BEGIN}old\n{readme.END}after\n", encoding="utf-8")
    found = compared(ratio_to("p", at_least=1.0), row(OURS, 1.0), row("p", 2.0))
    results.write(summary, results.SUMMARY, found, ABOUT)
    readme.main(summary, tmp_path / "speed.csv", page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    assert (tmp_path / "speed.csv").read_text() == summary.read_text()
    with pytest.raises(ValueError, match="has no lines"):
        readme.put("no markers", "new")
