"""Comparisons, targets, who wins, and the files."""

import pytest
from shiftbench.speed import figures, results, tables
from shiftbench.speed.problem import OURS, Target, ratio_to
from small_speed_problems import compared, row


def test_ratios_are_the_peers_time_over_ours():
    found = compared(ratio_to("fast", "slow", at_least=1.0), row(OURS, 2.0), row("fast", 1.0), row("slow", 6.0))
    assert [(one["against"], one["value"], one["verdict"]) for one in found] == [
        ("fast", 0.5, "MISSED"),
        ("slow", 3.0, "reached"),
    ]


def test_quotients_of_our_own_and_limits():
    targets = [Target(OURS, "shiftlr plain", at_most=1.5), Target(OURS, None, at_most=1.0)]
    found = compared(targets, row(OURS, 1.4), row("shiftlr plain", 1.0))
    assert [(one["quantity"], one["value"], one["verdict"]) for one in found] == [
        ("shiftlr / shiftlr plain", 1.4, "reached"),
        ("shiftlr (s)", 1.4, "MISSED"),
    ]
    assert [one["target"] for one in found] == ["<= 1.5", "<= 1 s"]
    assert results.wins(found) == []  # none of them is a peer


def test_a_rival_without_a_target_is_listed():
    (found,) = compared([], row(OURS, 1.0), row("peer", 3.0))
    assert (found["quantity"], found["value"], found["target"], found["verdict"]) == ("peer / shiftlr", 3.0, "", "")


def test_no_target_is_reached_above_our_gap():
    late = row(OURS, 1.0, gap=1e-3, status="gap missed")
    (found,) = compared(ratio_to("peer", at_least=1.0), late, row("peer", 9.0))
    assert found["verdict"].startswith("MISSED: our gap")


def test_a_missing_peer_gives_its_reason_and_no_number():
    gone = {"solver": "glmnet", "unit": "s", "goal": 1e-6, "status": "skipped: there is no R"}
    (found,) = compared(ratio_to("glmnet", at_least=4.0), row(OURS, 1.0), gone)
    assert found["value"] is found["theirs"] is None and found["verdict"] == "skipped: there is no R"
    assert tables.counts([found]) == "0 of 0 targets reached, 1 not measured"


def test_other_bits_miss_the_target():
    other = row("shiftlr 2 threads", 0.5, status="failed: not the same bits as shiftlr")
    (found,) = compared([Target(OURS, "shiftlr 2 threads", at_least=1.4)], row(OURS, 1.0), other)
    assert found["verdict"] == "MISSED: failed: not the same bits as shiftlr"


@pytest.fixture
def summary():
    return [
        *compared(ratio_to("p", "q", at_least=1.0), row(OURS, 1.0), row("p", 4.0), row("q", 2.0), name="won"),
        *compared(
            ratio_to("p", "q", at_least=1.0), row(OURS, 1.0), row("p", 0.1, gap=1e-2), row("q", 0.5), name="lost"
        ),
        *compared(ratio_to("p", at_least=1.0), row(OURS, 1.0), row("p", 0.1, gap=1e-2), name="alone"),
        *results.skipped("gone", "another title", "run `make data` first"),
    ]


def test_losses_come_first_and_only_peers_within_the_gap_win(summary):
    found = [(line["problem"], line["fastest"], line["ratio"]) for line in results.wins(summary)]
    assert found == [("lost", "q", 0.5), ("won", "q", 2.0), ("alone", None, None)]


def test_a_fit_above_the_gap_comes_before_all_losses(summary):
    wrong = compared([], row(OURS, 1.0, gap=1e-2, status="gap missed"), row("p", 9.0), name="wrong")
    assert results.wins([*summary, *wrong])[0]["problem"] == "wrong"
    assert tables.win_lines([*summary, *wrong])[0][-1] == "1 s (above the gap)"


def test_a_summary_is_read_as_it_was_written(tmp_path, summary):
    about = {"date": "2001-02-03", "versions": "a 1, b: 2"}
    results.write(tmp_path / "s.csv", results.SUMMARY, summary, about)
    assert results.read(tmp_path / "s.csv") == (about, summary)


def test_tables_have_a_line_for_each_comparison(summary):
    shown = tables.markdown(summary, {"date": "today"})
    first = shown.split("## Who wins")[0]
    assert sum(line.startswith("| ") for line in first.splitlines()) == len(summary) + 2
    assert "skipped: run `make data` first" in first and "(gap 1.0e-02)" in first
    lines = tables.latex(summary, {"date": "today"}).splitlines()
    assert all(line.count("&") == len(tables.HEADINGS) - 1 for line in lines if line.endswith(r"\\"))


def test_latex_is_escaped():
    (line,) = [
        line
        for line in tables.latex(results.skipped("x", "10 % of a_b, 5 x 3", ">= 1"), {}).splitlines()
        if "of a" in line
    ]
    assert r"10 \% of a\_b, 5 $\times$ 3" in line and r"$\geq$ 1" in line


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.21, "3.2 s"), (125.0, "125 s"), (0.0123, "12 ms"), (0.4567, "457 ms"), (9e-5, "90 µs")]
)
def test_times_have_two_or_three_digits(seconds, text):
    assert tables.seconds_text(seconds) == text


def test_curves_show_the_least_time_to_each_gap():
    points = [(1e-2, 5.0), (1e-4, 2.0), (1e-3, 3.0), (1e-6, 4.0), (0.0, 9.0)]
    rows = [{"gap": gap, "seconds": seconds} for gap, seconds in points]
    assert figures.least_times(rows) == [(1e-4, 2.0), (1e-6, 4.0), (figures.LEAST_GAP, 9.0)]


def test_figures_are_drawn_and_nothing_without_rows(tmp_path):
    curves = [
        {"problem": "a", "title": "A", "goal": 1e-6, "solver": name, "tolerance": t, "gap": gap, "seconds": 1.0 / t}
        for name in (OURS, "new peer")
        for t, gap in ((0.1, 1e-3), (0.01, 0.0))
    ]
    times = [
        {"family": "f", "title": "F", "solver": OURS, "rows": n, "seconds": seconds, "exponent": 1.0}
        for n, seconds in ((10, 1.0), (20, None), (40, 4.0))
    ]
    found = [*figures.time_against_gap(curves, tmp_path), *figures.time_against_rows(times, tmp_path)]
    assert {path.name for path in found} == {
        f"time_against_{what}.{kind}" for what in ("gap", "rows") for kind in ("png", "pdf")
    }
    assert all(path.stat().st_size > 1000 for path in found)
    assert figures.time_against_gap([], tmp_path) == []
