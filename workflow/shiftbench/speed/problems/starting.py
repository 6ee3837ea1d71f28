"""What is paid before the first fit: compiling all kernels, and importing."""

from shiftbench.speed import meters
from shiftbench.speed.problem import OURS, Meter, Problem, Skipped, Target, problem

SKLEARN = "scikit-learn"


@problem("start")
def first_compile(quick):
    """All kernels compiled into an empty folder, in processor seconds."""
    if quick:
        raise Skipped("--quick")
    contenders = [Meter(OURS, meters.compile_seconds, "CPU s")]
    return Problem("first compile of all kernels", contenders, [Target(OURS, None, at_most=40.0)])


@problem("start")
def warm_start(quick):
    """A new Python that imports and makes one small fit, with kernels that are compiled."""
    contenders = [
        Meter(OURS, lambda: meters.start_seconds("shiftlr")),
        Meter(SKLEARN, lambda: meters.start_seconds("sklearn")),
    ]
    return Problem("import and a small fit", contenders, [Target(OURS, None, at_most=1.7)])
