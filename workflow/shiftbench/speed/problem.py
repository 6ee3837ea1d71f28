"""What a problem of the benchmark is, and where all of them are registered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from shiftbench.speed.task import Fit, Task

OURS = "shiftlr"
SECONDS = "s"
LADDER = tuple(10.0**-power for power in range(1, 17))

Solve = Callable[[float], Fit]


class Skipped(Exception):
    """A problem or a solver that cannot run here; the message says why."""


@dataclass(frozen=True)
class Contender:
    """A solver of a problem. Its tolerances are tried in order until one reaches the gap."""

    name: str
    prepare: Callable[[Any], Solve]
    task: Task
    tolerances: Sequence[float] = LADDER
    threads: int = 1


@dataclass(frozen=True)
class Meter:
    """Something that is measured and not solved: its least value counts."""

    name: str
    measure: Callable[[], float]
    unit: str = SECONDS
    threads: int = 1


class Target(NamedTuple):
    """What we want: the value of `top`, or its quotient by that of `bottom`, at least or at most so much."""

    top: str
    bottom: str | None = OURS
    at_least: float | None = None
    at_most: float | None = None

    @property
    def text(self) -> str:
        """The bound alone."""
        return f">= {self.at_least:g}" if self.at_least is not None else f"<= {self.at_most:g}"

    def is_reached(self, value: float) -> bool:
        """Whether a value is as good as asked."""
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is None or value <= self.at_most


@dataclass
class Problem:
    """A comparison: who solves what to which relative gap, and our targets.

    `reference`: (contender, tolerance) of the fits that tell the least objective, before any clock runs. All objectives
    that are found later count too. `patience`: the seconds after which a solver that has not reached the gap gives up.
    """

    title: str
    contenders: Sequence[Contender | Meter]
    targets: Sequence[Target] = ()
    goal: float = 1e-6
    reference: Sequence[tuple[str, float]] = ((OURS, 1e-10),)
    patience: float = 120.0
    has_curve: bool = False  # time against gap is shown
    same_bits: bool = False  # whoever has our task must have our weights, bit for bit


class Entry(NamedTuple):
    """A registered function of `quick`, called when its problem is asked for; a family yields (rows, problem)."""

    name: str
    group: str
    make: Callable[[bool], Any]
    is_family: bool

    @property
    def about(self) -> str:
        """The first line of its docstring, without the full stop."""
        return (self.make.__doc__ or "").strip().splitlines()[0].rstrip(".")


REGISTRY: dict[str, Entry] = {}


def problem(group: str, is_family: bool = False) -> Callable[[Callable[[bool], Any]], Callable[[bool], Any]]:
    """Register a function `make(quick) -> Problem` under its own name."""

    def register(make):
        name = make.__name__
        if name in REGISTRY:
            raise ValueError(f"{name}: there are two problems of this name")
        REGISTRY[name] = Entry(name, group, make, is_family)
        return make

    return register


def family(group: str) -> Callable[[Callable[[bool], Any]], Callable[[bool], Any]]:
    """Register a function `make(quick)` that yields (rows, Problem) for growing numbers of rows."""
    return problem(group, is_family=True)


def ratio_to(*peers: str, at_least: float) -> list[Target]:
    """The time of each peer over ours."""
    return [Target(peer, OURS, at_least=at_least) for peer in peers]
