"""What a refused config says."""

import re

import pytest
from shiftlr.config import ConfigError, complete


def assert_refused(config, wanted):
    """One line: the file, the key `wanted[0]`, and all words of `wanted` in it."""
    with pytest.raises(ConfigError) as caught:
        complete(config, "mine.yaml")
    lines = str(caught.value).splitlines()
    assert len(lines) == 1, lines
    assert re.match(rf"mine\.yaml: {re.escape(wanted[0])}: ", lines[0]), lines[0]
    for word in wanted:
        assert word in lines[0]
