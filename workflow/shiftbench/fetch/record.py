"""What a folder of fetched files says of itself: where each came from, or that a stand-in took its place."""

import json
from pathlib import Path
from typing import Any

PROVENANCE = "provenance.json"


def read_object(path: str | Path) -> dict[str, Any]:
    """A JSON file with an object in it; empty if there is none that can be read."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):  # the last for one that is nested without end
        return {}
    return found if isinstance(found, dict) else {}


def read_record(folder: str | Path) -> dict[str, Any]:
    """The provenance in a folder; empty if there is none that can be read."""
    return read_object(Path(folder, PROVENANCE))


def is_standin(folder: str | Path) -> bool:
    """Whether a fetched folder holds stand-in data."""
    return read_record(folder)["kind"] == "standin"
