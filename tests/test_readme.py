"""The README's examples print what the README says, and its counts of verdicts are the expected ones."""

import re
from pathlib import Path

import pytest
from shiftbench.present.not_reproduced import expected_verdicts, markdown, read_reasons, reasons_by_id
from shiftbench.verdicts.judge import counts_text, read_published

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
EXPECTED = ROOT / "tests" / "expected" / "results.json"


@pytest.fixture(scope="module")
def verdicts():
    return expected_verdicts(EXPECTED, read_published())


def test_examples_print_what_they_say(capsys):
    pairs = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(pairs) == 2
    names: dict = {}
    for code, expected in pairs:
        exec(compile(code, str(README), "exec"), names)
        assert capsys.readouterr().out == expected


def test_all_verdicts_are_counted_once(verdicts):
    assert len(verdicts) == len(read_published()) == 139
    assert counts_text(verdicts) in " ".join(README.read_text().split())


def test_everything_that_did_not_reproduce_is_explained(verdicts):
    failed = verdicts.loc[verdicts["verdict"] != "reproduced", "id"]
    assert set(failed) - set(reasons_by_id(list(failed), read_reasons())) == set()


def test_every_reason_explains_something(verdicts):
    failed = verdicts.loc[verdicts["verdict"] != "reproduced", "id"]
    for reason in read_reasons():
        for pattern in reason.ids:
            assert any(reason._replace(ids=[pattern]).explains(name) for name in failed), pattern


def test_the_page_of_what_did_not_reproduce_is_up_to_date(verdicts):
    page = (ROOT / "docs" / "not_reproduced.md").read_text()
    assert page == markdown(verdicts, read_published(), read_reasons()), "run `make expected`"
