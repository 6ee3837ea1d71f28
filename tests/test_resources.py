"""What jobs ask for grows with their attempts; what they used is set beside it, and shortages are named."""

from types import SimpleNamespace

import pytest
from shiftlr.resources import AROUND, as_text, growing, main, training_minutes, uses

HEADER = "s\th:m:s\tmax_rss\tmean_load\trule_name\tresources"


def write(folder, name, seconds, megabytes, asked, load="50.00", rule="train"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEADER}\n{seconds}\t0:00:01\t{megabytes}\t{load}\t{rule}\t{asked}\n")


def test_attempts_ask_for_more_up_to_a_limit():
    asked = growing(1500)
    assert [asked(None, attempt=attempt) for attempt in (1, 2, 3, 4, 9)] == [1500, 3000, 6000, 6000, 6000]


def test_longer_blocks_ask_for_more_time():
    asked = growing(training_minutes)
    blocks = [SimpleNamespace(first="0", last="99"), SimpleNamespace(first="300", last="10299")]
    assert [asked(block, attempt=1) for block in blocks] == [3, 62]
    assert asked(blocks[1], attempt=2) == 124


def test_most_demanding_job_stands_for_its_rule(tmp_path):
    asked = "{'tmpdir': '/tmp', 'mem_mb': 1500, 'runtime': 10}"
    write(tmp_path, "train/a.tsv", 60, 300, asked)
    write(tmp_path, "train/b.tsv", 120, "NA", asked, load="NA")
    write(tmp_path, "judge.tsv", 1, 100, "{'mem_mb': 1000, 'runtime': 5}", rule="judge")
    judge, train = uses(tmp_path)
    assert judge.rule == "judge"
    assert (train.jobs, train.asked_mb, train.used_mb) == (2, 1500, AROUND + 300)
    assert (train.asked_minutes, train.used_minutes) == (10, 2)
    assert train.load == pytest.approx(0.5 / 3)
    assert "train                   2" in as_text([train])
    assert main([str(tmp_path)]) == 0


def test_shortage_is_named_with_the_way_out(tmp_path, capsys):
    write(tmp_path, "train/a.tsv", 540, 900, "{'mem_mb': 1500, 'runtime': 10}")
    assert main([str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "train: mem_mb: used 1260.0 of 1500 MB; ask for 1575 or more" in said
    assert "train: runtime: used 9.0 of 10 minutes; ask for 12 or more" in said


def test_files_that_do_not_say_what_was_asked_for(tmp_path, capsys):
    assert main([str(tmp_path)]) == 1
    assert "there are no benchmark files; run the workflow first" in capsys.readouterr().err
    (tmp_path / "judge.tsv").write_text("s\tmax_rss\n1\t2\n")
    assert main([str(tmp_path)]) == 1
    assert "judge.tsv: does not say what its job had asked for" in capsys.readouterr().err
