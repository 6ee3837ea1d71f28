"""The page of what did not reproduce: every such number or claim once, in the section of its reason."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from made_up_tables import PUBLISHED, make_runs
from shiftbench.present.not_reproduced import (
    Reason,
    expected_verdicts,
    main,
    markdown,
    read_reasons,
    reasons_by_id,
)
from shiftbench.verdicts.judge import judge, read_published
from shiftbench.verdicts.verify import write_expected

RUNS = make_runs()
VERDICTS = judge(PUBLISHED, RUNS)[0]
# s2 is worse, c1 inconclusive, r1 better, n1 not comparable; s1, r2 and g2 are reproduced
NOT_REPRODUCED = ["s2", "c1", "r1", "n1"]
REASONS = [
    Reason(["n1"], "Nobody ran it", "It takes a year."),
    Reason(["s*"], "The weather", "It rained.\n"),
    Reason(["s2", "r2"], "Too late", "Another one had s2 before."),
    Reason(["r1"], "Ours is better", "By luck | skill."),
]


def sections(page):
    """{title: (text, lines of the table)}."""
    found = {}
    for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        title, _, rest = part.partition("\n")
        lines = rest.splitlines()
        rows = [line for line in lines if line.startswith("|")]
        text = "\n".join(line for line in lines if line and not line.startswith("|"))
        assert rows[:2] == ["| place | what | report | ours | z | verdict |", "|---|---|---|---|---|---|"]
        found[title] = (text, rows[2:])
    return found


def test_the_made_up_verdicts_are_of_all_kinds():
    assert VERDICTS.loc[VERDICTS["verdict"] != "reproduced", "id"].sort_values().tolist() == sorted(NOT_REPRODUCED)


def test_every_number_that_did_not_reproduce_is_in_the_section_of_its_first_reason():
    found = sections(markdown(VERDICTS, PUBLISHED, REASONS))
    assert list(found) == ["The weather", "Not explained yet", "Ours is better", "Nobody ran it"]  # the gravest first
    assert {title: len(rows) for title, (_, rows) in found.items()} == dict.fromkeys(found, 1)
    assert found["The weather"] == (
        "It rained.",
        ["| Table 1 | 0.3, standard | 79.00 ± 0.50 | 70.00 ± 1.00 | -8.05 | worse |"],
    )
    assert found["Nobody ran it"] == ("It takes a year.", ["| Table 1 | 9, F1 | 81.00 |  |  | not comparable |"])
    assert found["Ours is better"][0] == "By luck | skill."  # only in a table would the line be a border


def test_what_has_no_reason_is_named():
    text, (line,) = sections(markdown(VERDICTS, PUBLISHED, REASONS))["Not explained yet"]
    assert text == "" and line.startswith("| Table 1 | 0.0, gain: it <wins> | > 0 (9.00) | ")
    assert line.endswith(" | inconclusive |")
    found = sections(markdown(VERDICTS, PUBLISHED, []))
    assert list(found) == ["Not explained yet"] and len(found["Not explained yet"][1]) == len(NOT_REPRODUCED)
    all_explained = [*REASONS, Reason(["*"], "Everything else", "So it is.")]
    assert "Not explained yet" not in markdown(VERDICTS, PUBLISHED, all_explained)


def test_what_reproduced_is_only_counted():
    page = markdown(VERDICTS, PUBLISHED, [Reason(["*"], "All", "of them")])
    assert len(sections(page)["All"][1]) == len(NOT_REPRODUCED)
    assert "7 published numbers and claims: 3 reproduced, 1 better, 1 worse," in page
    assert not re.search(r"\| reproduced \|", page)


def test_claims_on_other_data_say_what_came_out_there():
    verdicts = judge(PUBLISHED, make_runs(data="other"))[0]
    _, rows = sections(markdown(verdicts, PUBLISHED, []))["Not explained yet"]
    assert len(rows) == len(PUBLISHED)  # nothing is compared
    assert sum("not comparable; reproduced on other data" in line for line in rows) == 1
    assert sum("not comparable; inconclusive on other data" in line for line in rows) == 1


def test_a_border_inside_a_cell_is_replaced():
    published = PUBLISHED.assign(claim=PUBLISHED["claim"].replace("it <wins>", "A | B"))
    assert "gain: A / B" in markdown(VERDICTS, published, [])


@pytest.mark.parametrize(
    ("patterns", "name", "explained"),
    [
        (["table7.exp1.*"], "table7.exp1.robust", True),
        (["table7.exp1.*"], "table7.exp10.robust", False),
        (["*.robust"], "table7.exp1.robust", True),
        (["table7.*.robust"], "table7.exp1.robust", True),
        (["table7"], "table7.exp1.robust", False),
        (["TABLE7.*"], "table7.exp1.robust", False),
        (["x", "table7.exp1.robust"], "table7.exp1.robust", True),
        ([], "table7.exp1.robust", False),
    ],
)
def test_a_star_stands_for_anything(patterns, name, explained):
    assert Reason(patterns, "t", "r").explains(name) == explained
    assert (name in reasons_by_id([name], [Reason(patterns, "t", "r")])) == explained


def test_the_first_reason_counts():
    found = reasons_by_id(["s1", "s2", "r2", "c1"], REASONS)
    assert {name: one.reason for name, one in found.items()} == {
        "s1": "It rained.\n",
        "s2": "It rained.\n",
        "r2": "Another one had s2 before.",
    }


def test_reasons_are_read_from_a_file(tmp_path):
    path = tmp_path / "reasons.yaml"
    path.write_text(yaml.safe_dump([reason._asdict() for reason in REASONS]))
    assert read_reasons(path) == REASONS
    path.write_text("- {ids: [a], titel: b, reason: c}\n")
    with pytest.raises(TypeError, match="titel"):
        read_reasons(path)


def test_the_project_s_reasons_name_ids_of_the_report():
    known = read_published()["id"]
    for reason in read_reasons():
        assert reason.title and reason.reason and not reason.title.endswith(".")
        for pattern in reason.ids:
            assert any(Reason([pattern], "", "").explains(name) for name in known), pattern


def test_expected_verdicts_make_the_same_page_as_those_of_a_run(tmp_path):
    path = tmp_path / "expected.json"
    write_expected(path, RUNS.table, VERDICTS)
    found = expected_verdicts(path, PUBLISHED)
    assert found["id"].tolist() == VERDICTS["id"].tolist()
    same = ["verdict", "on_other_data", "published", "published_se", "relation", "row", "column", "place"]
    pd.testing.assert_frame_equal(found[same], VERDICTS[same], check_dtype=False)
    np.testing.assert_allclose(found["ours"], VERDICTS["ours"], rtol=1e-8)
    np.testing.assert_allclose(found["ours_se"], VERDICTS["ours_se"], rtol=1e-8)
    np.testing.assert_allclose(found["z"], VERDICTS["z"], atol=0.0051)  # two decimals are kept
    assert markdown(found, PUBLISHED, REASONS) == markdown(VERDICTS, PUBLISHED, REASONS)


def test_what_is_not_expected_is_left_out(tmp_path):
    path = tmp_path / "expected.json"
    kept = {"verdict": "worse", "on_other_data": "", "z": None, "ours": None, "ours_se": None}
    path.write_text(json.dumps({"verdicts": {"r2": kept}}))
    found = expected_verdicts(path, PUBLISHED)
    assert found["id"].tolist() == ["r2"] and found["ours"].isna().all() and found["z"].isna().all()
    assert found["ours"].dtype == float


def test_the_page_is_written_from_a_file_of_expected_results(tmp_path):
    published = read_published()
    kept = {"verdict": "not_comparable", "on_other_data": "", "z": None, "ours": None, "ours_se": None}
    (tmp_path / "expected.json").write_text(json.dumps({"verdicts": dict.fromkeys(published["id"], kept)}))
    main(str(tmp_path / "expected.json"), str(tmp_path / "page.md"))
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("# What did not reproduce, and why\n") and "make expected" in page
    assert sum(len(rows) for _, rows in sections(page).values()) == len(published)
