"""What jobs asked of a machine, and what they then used: `python -m shiftbench.run.resources results/benchmarks`."""

import ast
import csv
import math
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

HEADROOM = 0.8  # the share of what was asked for that a job may use
# The processes of Snakemake around a job's own on a cluster, in MB; they count as the job's (measured: 345).
AROUND = 360


class Use(NamedTuple):
    """One rule: the most that its jobs asked for and used."""

    rule: str
    jobs: int
    asked_mb: float
    used_mb: float  # with the processes around
    asked_minutes: float
    used_minutes: float
    load: float  # share of one core

    def shortages(self) -> list[str]:
        """What a job of the rule came too close to, with the way out."""
        pairs = [
            ("mem_mb", "MB", self.used_mb, self.asked_mb),
            ("runtime", "minutes", self.used_minutes, self.asked_minutes),
        ]
        return [
            f"{self.rule}: {name}: used {used:.1f} of {asked:g} {unit}; ask for {math.ceil(used / HEADROOM)} or more"
            for name, unit, used, asked in pairs
            if used > HEADROOM * asked
        ]


def uses(benchmarks: str | Path) -> list[Use]:
    """What the jobs of each rule asked for and used, from Snakemake's extended benchmark files."""
    jobs = sorted((_of_job(path) for path in Path(benchmarks).rglob("*.tsv")), key=lambda job: job.rule)
    if not jobs:
        raise ValueError(f"{benchmarks}: there are no benchmark files; run the workflow first")
    return [_of_rule(rule, list(its)) for rule, its in groupby(jobs, key=lambda job: job.rule)]


def _of_job(path):
    with path.open(encoding="utf-8") as file:
        row = next(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    if "resources" not in row:
        raise ValueError(
            f"{path}: does not say what its job had asked for; run it again with benchmark-extended, as the profiles do"
        )
    asked = ast.literal_eval(row["resources"])
    return Use(
        row["rule_name"],
        1,
        float(asked["mem_mb"]),
        AROUND + _number(row["max_rss"]),
        float(asked["runtime"]),
        float(row["s"]) / 60,
        _number(row["mean_load"]) / 100,
    )


def _number(text):
    """Jobs of a blink have no measured memory and load: NA or -."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def _of_rule(rule, jobs):
    """The jobs that came closest to their limits stand for all."""
    memory = max(jobs, key=lambda job: job.used_mb / job.asked_mb)
    time = max(jobs, key=lambda job: job.used_minutes / job.asked_minutes)
    busy = sum(job.load * job.used_minutes for job in jobs) / sum(job.used_minutes for job in jobs)
    return Use(rule, len(jobs), memory.asked_mb, memory.used_mb, time.asked_minutes, time.used_minutes, busy)


def as_text(found: Iterable[Use]) -> str:
    lines = ["rule                 jobs   memory of asked (MB)   time of asked (minutes)   busy"]
    for one in found:
        memory = f"{one.used_mb:.0f} of {one.asked_mb:.0f}"
        time = f"{one.used_minutes:.2f} of {one.asked_minutes:.0f}"
        lines.append(f"{one.rule:<20} {one.jobs:>4}   {memory:>20}   {time:>23}   {one.load:>4.0%}")
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> int:
    """Print the table; 1 if a job came too close to what it had asked for."""
    try:
        found = uses(words[0] if words else "results/benchmarks")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(as_text(found), end="")
    shortages = [shortage for one in found for shortage in one.shortages()]
    print("\n".join(shortages), file=sys.stderr, end="\n" if shortages else "")
    return 1 if shortages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
