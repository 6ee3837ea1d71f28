"""The problems in small sizes: everyone who is there reaches the gap, and the command writes its files."""

import pytest
from shiftbench.speed import command, meters, results
from shiftbench.speed.data import real
from shiftbench.speed.peers import glmnet
from shiftbench.speed.problem import REGISTRY, Contender, Problem, Skipped, problem

REAL = {name for name in REGISTRY if name.startswith(("ner", "svm_ner")) or name == "l1_colon"}


def problems():
    return [entry for entry in REGISTRY.values() if not entry.is_family]


def test_all_that_was_asked_for_is_there():
    groups = {"dense", "wide", "l1", "words", "ner", "classes", "flipping", "svm", "start", "rows"}
    assert {entry.group for entry in REGISTRY.values()} == groups
    assert len(problems()) == 33 and len(REAL) == 8


@pytest.mark.parametrize(
    "entry", [e for e in problems() if e.name not in REAL | {"first_compile"}], ids=lambda e: e.name
)
def test_a_problem_has_targets_about_its_own_contenders(entry):
    made = entry.make(True)
    names = [one.name for one in made.contenders]
    assert len(set(names)) == len(names) and made.targets
    for target in made.targets:
        assert target.top in names and target.bottom in (None, *names)
    assert {name for name, _ in made.reference} <= set(names) or not any(
        isinstance(one, Contender) for one in made.contenders
    )


def test_no_name_is_registered_twice():
    with pytest.raises(ValueError, match="two problems"):
        problem("dense")(REGISTRY["tall_plain"].make)


def test_real_data_that_were_not_fetched_are_skipped_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(real, "SOURCES", tmp_path)
    with pytest.raises(Skipped, match=r"alon1999 is not fetched; run `make data` first"):
        real.folder_of("alon1999")
    (tmp_path / "alon1999").mkdir()
    (tmp_path / "alon1999" / "provenance.json").write_text('{"kind": "standin"}')
    with pytest.raises(Skipped, match="stand-in"):
        real.folder_of("alon1999")


def test_glmnet_is_skipped_with_a_reason_where_there_is_no_r(monkeypatch):
    monkeypatch.setattr(glmnet.shutil, "which", lambda name: None)
    glmnet.versions.cache_clear()
    try:
        with pytest.raises(Skipped, match="no R"):
            glmnet.versions()
    finally:
        glmnet.versions.cache_clear()


@pytest.mark.parametrize("name", ["tall_plain", "wide_hard", "l1_path", "words_without_b", "svm_small", "svm_small_b"])
def test_everyone_who_runs_reaches_the_gap(name):
    """The peers that are installed here: scikit-learn's, and R's glmnet where it is."""
    (frames,) = command.run([REGISTRY[name]], quick=True)
    assert frames["summary"]
    for row in frames["results"]:
        assert row["status"] == "ok" or row["status"].startswith("skipped: "), row
        assert row["status"] != "ok" or row["gap"] <= row["goal"]


def test_lbfgs_and_em_agree_on_the_maximum():
    made = REGISTRY["flipping_weak"].make(True)
    by_name = {one.name: one for one in made.contenders}
    em, lbfgs = (one.task.objectives(one.prepare(one.task)(1e-10))[0] for one in by_name.values())
    assert em == pytest.approx(lbfgs, rel=1e-6)


def test_a_family_has_an_exponent_for_each_solver():
    (frames,) = command.run([REGISTRY["rows_dense"]], quick=True)
    rows = frames["rows"]
    assert {row["rows"] for row in rows} == {500, 1000, 2000}
    assert all(isinstance(row["exponent"], float) for row in rows if row["seconds"] is not None)


def test_exponents_are_slopes(monkeypatch):
    def make(quick):
        for n in (10, 100, 1000):
            yield n, Problem("", [])

    monkeypatch.setattr(
        command.runner,
        "solve",
        lambda problem, rounds: ([{"solver": "a", "value": 2.0 * next(sizes) ** 1.5, "gap": 0.0}], []),
    )
    sizes = iter((10, 100, 1000))
    rows = command.run_family(REGISTRY["rows_dense"]._replace(make=make), True, 1)
    assert rows[0]["exponent"] == pytest.approx(1.5)


def test_the_command_writes_all_files(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(real, "SOURCES", tmp_path / "nowhere")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(command.kernels, "ensure", lambda folder: False)
    folder = tmp_path / "bench"
    words = ["--quick", "--only", "tall_plain", "l1_colon", "svm_small", "rows_dense", "--folder", str(folder)]
    assert command.main(words) == 0
    said = capsys.readouterr().out
    assert "Who wins where" in said and "skipped: alon1999 is not fetched; run `make data` first" in said
    files = {"results.csv", "curves.csv", "rows.csv", "summary.csv", "summary.md", "summary.tex"}
    files |= {f"time_against_{what}.{kind}" for what in ("gap", "rows") for kind in ("png", "pdf")}
    assert {path.name for path in folder.iterdir()} == files
    about, summary = results.read(folder / "summary.csv")
    assert "--quick" in about["sizes"] and {row["problem"] for row in summary} == {
        "tall_plain",
        "l1_colon",
        "svm_small",
    }
    _, rows = results.read(folder / "results.csv")
    assert {"problem", "solver", "tolerance", "gap", "value", "rounds", "version", "threads"} <= set(rows[0])


def test_the_command_lists_and_refuses(capsys):
    assert command.main(["--list"]) == 0
    assert capsys.readouterr().out.count("\n") == len(REGISTRY)
    with pytest.raises(SystemExit, match="there is no problem or group nonsense"):
        command.main(["--only", "nonsense"])


def test_time_within_counts_calls_from_outside_once():
    import cProfile
    import pstats

    def separable_inner():
        return sum(range(20_000))

    def separable_outer():
        return separable_inner() + separable_inner()

    profile = cProfile.Profile()
    profile.runcall(lambda: separable_outer() + sum(range(20_000)))
    stats = pstats.Stats(profile)
    within = sum(meters.time_within(stats, lambda file, function: function.startswith("separable")))
    outer = next(entry[3] for key, entry in stats.stats.items() if key[2] == "separable_outer")
    assert within == pytest.approx(outer)


def test_memory_is_a_multiple_of_the_data():
    assert 0.9 < meters.peak_memory("lbfgs", 20_000, 30) < 100.0
