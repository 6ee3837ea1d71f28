"""The README's examples print what the README says."""

import json
import re
from collections import Counter
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_examples_print_what_they_say(capsys):
    pairs = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(pairs) == 2
    names: dict = {}
    for code, expected in pairs:
        exec(compile(code, str(README), "exec"), names)
        assert capsys.readouterr().out == expected


def test_counts_of_verdicts_are_the_expected_ones():
    expected = json.loads((README.parent / "tests" / "expected" / "results.json").read_text())["verdicts"]
    counts = Counter(one["verdict"] for one in expected.values() if one["verdict"] != "not_comparable")
    stated = re.search(
        r"Of (\d+) numbers and claims about them, (\d+) reproduce, (\d+) come out better and (\d+) worse",
        README.read_text(),
    )
    assert [int(number) for number in stated.groups()] == [
        counts.total(),
        counts["reproduced"],
        counts["better"],
        counts["worse"],
    ]
