"""The README's examples print what the README says."""

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_examples_print_what_they_say(capsys):
    pairs = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(pairs) == 2
    names: dict = {}
    for code, expected in pairs:
        exec(compile(code, str(README), "exec"), names)
        assert capsys.readouterr().out == expected
