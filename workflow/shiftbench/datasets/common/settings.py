"""What can be wrong with a setting, in a text that names it, its value and what is allowed."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def check_choice(settings: Mapping[str, Any], name: str, allowed: Iterable[str]) -> Iterator[str]:
    """Complains unless the setting is one of a few words."""
    allowed = tuple(allowed)
    if settings[name] not in allowed:
        yield f"{name}: {settings[name]!r} is not allowed; allowed are {', '.join(allowed)}"


def check_share(settings: Mapping[str, Any], name: str) -> Iterator[str]:
    """Complains unless the setting is a number between 0 and 1."""
    value = settings[name]
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 1:
        yield f"{name}: {value!r} must be a number above 0 and below 1"


def check_count(settings: Mapping[str, Any], name: str) -> Iterator[str]:
    """Complains unless the setting is a whole number, or null."""
    value = settings[name]
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        yield f"{name}: {value!r} must be a whole number, at least 1, or null"
