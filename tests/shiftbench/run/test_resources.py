"""What jobs used is set beside what they asked for, and shortages are named."""

import pytest
from shiftbench.run.resources import AROUND, as_text, main, uses

HEADER = "s\th:m:s\tmax_rss\tmean_load\trule_name\tresources"


def write(folder, name, seconds, megabytes, asked, load="50.00", rule="fit"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEADER}\n{seconds}\t0:00:01\t{megabytes}\t{load}\t{rule}\t{asked}\n")


def test_most_demanding_job_stands_for_its_rule(tmp_path):
    asked = "{'tmpdir': '/tmp', 'mem_mb': 1500, 'runtime': 10}"
    write(tmp_path, "fit/a.tsv", 60, 300, asked)
    write(tmp_path, "fit/b.tsv", 120, "NA", asked, load="NA")
    write(tmp_path, "judge.tsv", 1, 100, "{'mem_mb': 1000, 'runtime': 5}", rule="judge")
    fit, judge = uses(tmp_path)
    assert judge.rule == "judge"
    assert (fit.jobs, fit.asked_mb, fit.used_mb) == (2, 1500, AROUND + 300)
    assert (fit.asked_minutes, fit.used_minutes) == (10, 2)
    assert fit.load == pytest.approx(0.5 / 3)
    assert "fit                     2" in as_text([fit])
    assert main([str(tmp_path)]) == 0


def test_shortage_is_named_with_the_way_out(tmp_path, capsys):
    write(tmp_path, "fit/a.tsv", 540, 900, "{'mem_mb': 1500, 'runtime': 10}")
    assert main([str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "fit: mem_mb: used 1260.0 of 1500 MB; ask for 1575 or more" in said
    assert "fit: runtime: used 9.0 of 10 minutes; ask for 12 or more" in said


def test_files_that_do_not_say_what_was_asked_for(tmp_path, capsys):
    assert main([str(tmp_path)]) == 1
    assert "there are no benchmark files; run the workflow first" in capsys.readouterr().err
    (tmp_path / "judge.tsv").write_text("s\tmax_rss\n1\t2\n")
    assert main([str(tmp_path)]) == 1
    assert "judge.tsv: does not say what its job had asked for" in capsys.readouterr().err
