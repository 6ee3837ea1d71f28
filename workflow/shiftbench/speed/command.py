"""The command: which problems, which sizes; what it prints and which files it writes."""

import argparse
import dataclasses
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from shiftlr import kernels

from shiftbench.files import write_text
from shiftbench.speed import clock, figures, results, runner, tables
from shiftbench.speed import problems as registered
from shiftbench.speed.problem import REGISTRY, Contender, Entry, Problem, Skipped
from shiftbench.speed.results import Row
from shiftbench.speed.versions import about_this_run


def main(words: Sequence[str] | None = None) -> int:
    """Run what is asked for."""
    given = parse(words)
    entries = chosen(given.only)
    if given.list:
        print(tables.terminal([[entry.group, entry.name, entry.about] for entry in entries]))
        return 0
    started = time.perf_counter()
    clock.use(clock.PROCESSOR if given.processor_time else clock.WALL)
    about = about_this_run(given.quick)
    print("\n".join(f"{key}: {value}" for key, value in about.items()), flush=True)
    compile_kernels()
    frames: dict[str, list[Row]] = {}
    for frames in run(entries, given.quick, given.rounds):
        about["took"] = f"{(time.perf_counter() - started) / 60.0:.1f} minutes"
        write_tables(frames, about, given.folder)  # what was measured stays, should the run be ended
    draw(frames, given.folder)
    print_wins(frames["summary"])
    print(f"\n{tables.counts(frames['summary'])}; {about['took']}; tables and figures are in {given.folder}")
    return 0


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    """The words of the command line."""
    parser = argparse.ArgumentParser(prog="python -m shiftbench.speed", description="Speed against other solvers.")
    parser.add_argument("--list", action="store_true", help="list the problems and end")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="problems or groups of them")
    parser.add_argument("--quick", action="store_true", help="small sizes and single rounds: does it run?")
    parser.add_argument("--rounds", type=positive_integer, help="timed rounds of each solver")
    parser.add_argument("--processor-time", action="store_true", help="instead of wall time: where others compute too")
    parser.add_argument("--folder", type=Path, default=Path("results/bench"), help="where files are written")
    return parser.parse_args(words)


def positive_integer(text: str) -> int:
    """For argparse."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return value


def chosen(only: Sequence[str]) -> list[Entry]:
    """The entries by name or group, in the order of the registry."""
    assert registered.__name__  # importing the package has filled the registry
    known = {entry.name for entry in REGISTRY.values()} | {entry.group for entry in REGISTRY.values()}
    unknown = sorted(set(only) - known)
    if unknown:
        sys.exit(f"--only: there is no problem or group {', '.join(unknown)}; --list shows them")
    return [entry for entry in REGISTRY.values() if not only or {entry.name, entry.group} & set(only)]


def compile_kernels() -> None:
    """Before any clock runs; where that was done already it takes no time."""
    start = time.perf_counter()
    if kernels.ensure(os.environ["NUMBA_CACHE_DIR"]):
        print(f"compiled all kernels in {time.perf_counter() - start:.0f} s", flush=True)


def run(entries: Sequence[Entry], quick: bool, rounds: int | None = None) -> Iterator[dict[str, list[Row]]]:
    """All frames so far, after each problem: results, curves, rows, summary. It is printed as soon as it is done."""
    frames: dict[str, list[Row]] = {"results": [], "curves": [], "rows": [], "summary": []}
    rounds = rounds or (1 if quick else None)
    for entry in entries:
        start = time.perf_counter()
        if entry.is_family:
            rows = run_family(entry, quick, rounds)
            frames["rows"] += rows
            print_family(entry, rows, time.perf_counter() - start)
        else:
            summary = run_problem(entry, quick, rounds, frames)
            frames["summary"] += summary
            print_problem(entry, summary, time.perf_counter() - start)
        yield frames


def run_problem(entry: Entry, quick: bool, rounds: int | None, frames: dict[str, list[Row]]) -> list[Row]:
    """One problem; its results and curves go into the frames."""
    try:
        problem = entry.make(quick)
    except Skipped as error:
        frames["results"].append({"problem": entry.name, "title": entry.about, "status": f"skipped: {error}"})
        return results.skipped(entry.name, entry.about, str(error))
    rows, curves = runner.solve(thinned(problem) if quick else problem, rounds)
    same = {"problem": entry.name, "title": problem.title}
    frames["results"] += [same | row for row in rows]
    if problem.has_curve:
        frames["curves"] += [same | {"goal": problem.goal} | row for row in curves]
    return results.compare(entry.name, problem, rows)


def thinned(problem: Problem) -> Problem:
    """With a third of all tolerances: enough to see whether everything runs."""
    contenders = [
        dataclasses.replace(one, tolerances=one.tolerances[::3]) if isinstance(one, Contender) else one
        for one in problem.contenders
    ]
    return dataclasses.replace(problem, contenders=contenders)


def run_family(entry: Entry, quick: bool, rounds: int | None) -> list[Row]:
    """The times of a family, with the exponent of each solver: the slope of log time against log rows."""
    rows: list[Row] = []
    for n, problem in entry.make(quick):
        found, _ = runner.solve(problem, rounds or 2)
        rows += [
            {
                "family": entry.name,
                "title": problem.title,
                "solver": row["solver"],
                "rows": n,
                "seconds": row.get("value"),
                "gap": row.get("gap"),
                "goal": problem.goal,
            }
            for row in found
        ]
    for solver in dict.fromkeys(row["solver"] for row in rows):
        mine = [row for row in rows if row["solver"] == solver and row["seconds"] is not None]
        if len(mine) > 1:
            sizes, times = (np.log([row[key] for row in mine]) for key in ("rows", "seconds"))
            exponent = float(np.polyfit(sizes, times, 1)[0])
            for row in mine:
                row["exponent"] = exponent
    return rows


def write_tables(frames: dict[str, list[Row]], about: dict[str, str], folder: Path) -> None:
    """CSV, Markdown and LaTeX."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = {"results": results.RESULTS, "curves": results.CURVES, "rows": results.ROWS, "summary": results.SUMMARY}
    for name, frame in frames.items():
        results.write(folder / f"{name}.csv", columns[name], frame, about if name == "summary" else None)
    write_text(folder / "summary.md", tables.markdown(frames["summary"], about))
    write_text(folder / "summary.tex", tables.latex(frames["summary"], about))


def draw(frames: dict[str, list[Row]], folder: Path) -> None:
    """The figures."""
    figures.time_against_gap(frames["curves"], folder)
    figures.time_against_rows(frames["rows"], folder)


def print_problem(entry: Entry, summary: Sequence[Row], seconds: float) -> None:
    """The lines of one problem."""
    lines = [line[3:] for line in tables.cells(summary)]
    first = tables.cells(summary[:1])[0]
    gap = f", gap {first[1]}" if first[1] else ""
    print(f"\n{entry.name}: {first[0]}{gap}: ours {first[2]}  [{seconds:.0f} s]")
    print("\n".join("  " + line for line in tables.terminal(lines, right=(1, 2)).splitlines()), flush=True)


def print_family(entry: Entry, rows: Sequence[Row], seconds: float) -> None:
    """Times at each number of rows, and the exponents."""
    print(f"\n{entry.name}: {entry.about}  [{seconds:.0f} s]")
    lines = []
    for solver in dict.fromkeys(row["solver"] for row in rows):
        mine = [row for row in rows if row["solver"] == solver]
        times = ["-" if row["seconds"] is None else tables.seconds_text(row["seconds"]) for row in mine]
        exponent = mine[0].get("exponent")
        lines.append([solver, *times, "" if exponent is None else f"rows^{exponent:.2f}"])
    sizes = [f"{row['rows']:,}" for row in rows if row["solver"] == rows[0]["solver"]]
    table = tables.terminal([["rows", *sizes, ""], *lines], right=range(1, len(sizes) + 1))
    print("\n".join("  " + line for line in table.splitlines()), flush=True)


def print_wins(summary: Sequence[Row]) -> None:
    """Losses first."""
    lines = tables.win_lines(summary)
    if lines:
        print("\nWho wins where: the time of the fastest peer within the gap, over ours; losses (below 1) first")
        print(tables.terminal([["ratio", "problem", "fastest peer", "ours"], *lines], right=(0,)))
