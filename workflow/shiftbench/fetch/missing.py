"""What is said where files of a dataset cannot be had: in a line what to do, and at length why each place failed."""

from typing import Any

from shiftbench.fetch.hosts import PIP, host_of
from shiftbench.fetch.places import in_order, text

_MOST_LISTED = 3  # files of a dataset that are named in a line


class MissingData(Exception):
    """Says in a line which dataset cannot be had and what to do; `details` list every file, every place and why not."""

    def __init__(self, message: str, details: str):
        super().__init__(message)
        self.details = details


def missing_data(name: str, source: dict[str, Any], missing: dict[str, Any], why: str) -> MissingData:
    """The exception for the `missing` files of a dataset, each with the places that were tried."""
    message = f"{name}: {len(missing)} of {len(source['files'])} files cannot be had, and {why}"
    details = [f"{message}:"]
    for file, about in missing.items():
        details.append(f"  {file} (sha256 {about['sha256']})")
        details += [f"    {text(tried['place'])}: {tried['reason']}" for tried in about["tried"]]
    return MissingData(f"{message}. What to do: {how_to_get(source, missing)}.", "\n".join(details))


def how_to_get(source: dict[str, Any], missing: dict[str, Any]) -> str:
    """In a line, what a user can do to get the real data."""
    places = [place for file in missing for place in in_order(source["files"][file]["places"])]
    wanted = [place["mirror"] for place in places if "mirror" in place]
    names = (host_of(place) for place in places)
    hosts = dict.fromkeys("pip's package index" if name == PIP else name for name in names if name)
    ways = []
    if wanted:
        ways.append(
            f"set SHIFTLR_MIRROR or --config mirror=DIR to a directory that has {_listed(wanted)}, with the checksums "
            "in workflow/sources.yaml"
        )
    if hosts:
        ways.append(f"where {' or '.join(hosts)} can be reached, run make data")
    return ", or ".join(ways)


def _listed(paths):
    """All of a few, or the first of many."""
    if len(paths) > _MOST_LISTED:
        return f"{paths[0]} and {len(paths) - 1} more files"
    return " and ".join([", ".join(paths[:-1]), paths[-1]] if len(paths) > 1 else paths)
