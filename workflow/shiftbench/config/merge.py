"""Settings laid over each other."""

import copy
from typing import Any


def merged(below: Any, above: Any) -> Any:
    """Two settings, mappings merged at every level; what stands above wins."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return copy.deepcopy(above)
    both = copy.deepcopy(below)
    for key, value in above.items():
        both[key] = merged(below[key], value) if key in below and not _is_values(value) else copy.deepcopy(value)
    return both


def _is_values(value):
    """Values of a grid are taken as they are."""
    return isinstance(value, dict) and ("from" in value or "weakest" in value)
