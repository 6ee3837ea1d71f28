"""What a refused config says."""

import re

import pytest
from shiftbench.catalog import Catalog
from shiftbench.config.load import complete
from shiftbench.config.schema import ConfigError


def refusals(config, folder="."):
    """The lines that a config is refused with."""
    with pytest.raises(ConfigError) as caught:
        complete(config, "mine.yaml", folder, Catalog)
    return str(caught.value).splitlines()


def assert_refused(config, wanted, folder="."):
    """One line: the file, the key `wanted[0]`, and all words of `wanted` in it."""
    lines = refusals(config, folder)
    assert len(lines) == 1, lines
    assert re.match(rf"mine\.yaml: {re.escape(wanted[0])}: ", lines[0]), lines[0]
    for word in wanted:
        assert word in lines[0]
