"""Verdicts: that they follow the runs, and which data they are on."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from made_up_runs import both, facts, runs_of
from scipy import stats
from shiftbench.config.load import complete
from shiftbench.config.plan import methods_of
from shiftbench.runs import DATA, Runs
from shiftbench.verdicts.expressions import parse, terms_of
from shiftbench.verdicts.judge import (
    COLUMNS,
    counts_text,
    in_order,
    judge,
    judge_table,
    origin_of,
    read_published,
    tables_needed,
)
from shiftbench.verdicts.relations import RELATIONS, VERDICTS
from statsmodels.stats.multitest import multipletests

CONFIG = complete(yaml.safe_load((Path(__file__).parents[3] / "config.yaml").read_text()))
PUBLISHED = read_published()
SPREAD = np.array([-1.0, 0.0, 1.0]) * np.sqrt(3.0)  # a standard error of 1 around 0
N_PUBLISHED = 139
N_ON_OTHER_DATA = 7  # claims about named entities


def claims(*rows):
    """Published rows from (relation, value, se, ours, better, table)."""
    columns = ["relation", "value", "se", "ours", "better", "table"]
    frame = pd.DataFrame(rows, columns=columns).assign(id=[f"id{k}" for k in range(len(rows))])
    common = {"row": "r", "column": "c", "bold": "", "data": "report", "claim": "", "place": "Table 1", "note": ""}
    return frame.assign(margin=np.nan, **common)


@pytest.mark.parametrize(
    ("values", "data", "expected"),
    [
        ([7], "report", "reproduced"),
        ([8], "report", "better"),
        ([6], "report", "worse"),  # a count must be equal
        ([6, 6, 6], "report", "worse"),
        ([6, 7, 5, 8], "report", "reproduced"),  # over several replicates it has a spread
        ([7], "other", "not_comparable"),
        ([7], "standin", "not_comparable"),
        ([7], "quick", "not_comparable"),
        ([], "report", "not_comparable"),
    ],
)
def test_counts_and_the_data_they_were_found_on(values, data, expected):
    runs = runs_of({"table2.tissues:robust": values}, "suspects_hit", data=data)
    published = claims(("=", 7.0, np.nan, "table2.tissues:robust:suspects_hit", "higher", "one"))
    judged = judge(published, runs)[0].loc[0]
    assert judged["verdict"] == expected and judged["data"] == data
    assert not values or judged["ours"] == np.mean(values)
    assert np.isnan(judged["z"]) == (len(set(values)) < 2 or expected == "not_comparable")


def test_one_replicate_cannot_tell():
    runs = runs_of({"a.s:x": [50.0], "a.s:y": [40.0]})
    for relation, se in (("=", 0.5), (">", np.nan), (">=", np.nan), ("~", np.nan), ("<=", np.nan)):
        published = claims((relation, 50.0, se, "a.s:x:accuracy - a.s:y:accuracy", "", "one"))
        judged, comparisons = judge(published, runs)
        assert judged.loc[0, "verdict"] == "inconclusive" and judged.loc[0, "ours"] == 10.0, relation
        assert np.isnan(judged.loc[0, "replicates_needed"])
        assert comparisons.empty


def test_the_worst_of_the_data_counts():
    runs = both(
        runs_of({"a.s:x": SPREAD}),
        runs_of({"a.s:y": SPREAD, "b.s:x": SPREAD}, data="other"),
        runs_of({"a.t:x": SPREAD}, data="quick"),
        runs_of({"a.u:x": SPREAD}, data="standin"),
        facts("a.s", {"positives": 3, "p0": 0.1}, data="other"),
        facts("a.s", {"test_positives": 3}, data="report"),
    )
    assert origin_of(runs, "a.s:x:accuracy") == "report"
    assert origin_of(runs, "a.s:x:accuracy - a.s:y:accuracy") == "other"
    assert origin_of(runs, "a.s:y:accuracy - a.t:x:accuracy") == "quick"
    assert origin_of(runs, "a.t:x:accuracy - a.u:x:accuracy") == "standin"
    assert origin_of(runs, "a.s:data:positives") == "other" and origin_of(runs, "a.s:data:test_positives") == "report"
    assert origin_of(runs, "a.s:y:lam") == "other"  # a parameter's data are those of its method
    assert origin_of(runs, "z.s:x:accuracy") is None
    assert origin_of(runs, "a.s:x:accuracy", quick={"a"}) == "quick"
    published = claims((">", 0.0, np.nan, "a.s:x:accuracy - z.s:x:accuracy", "", "one")).assign(data="other")
    assert judge(published, runs)[0].loc[0, ["verdict", "data"]].tolist() == ["not_comparable", "report"]
    nothing = claims((">", 0.0, np.nan, "z.s:x:accuracy", "", "one")).assign(data="other")
    assert judge(nothing, runs)[0].loc[0, "data"] == "other"


def test_holm_corrects_within_a_table():
    names = [f"a.s{k}:x" for k in range(6)]
    rng = np.random.default_rng(6)
    samples = {name: rng.normal(0.01, 0.015, 9) for name in names}
    published = claims(
        *((">", 1.0, np.nan, f"{name}:accuracy", "", "one" if k < 4 else "two") for k, name in enumerate(names))
    )
    judged, comparisons = judge(published, runs_of(samples))
    ps = np.array([stats.ttest_1samp(samples[name], 0.0).pvalue for name in names])
    corrected = np.concatenate([multipletests(part, method="holm")[1] for part in (ps[:4], ps[4:])])
    np.testing.assert_allclose(comparisons["p"], ps)
    np.testing.assert_allclose(comparisons["p_holm"], corrected)
    assert np.any((ps < 0.05) & (corrected >= 0.05)) and np.any(corrected < 0.05)
    means = np.array([samples[name].mean() for name in names])
    assert (means[corrected < 0.05] > 0.0).all()
    expected = np.where(corrected < 0.05, "reproduced", "inconclusive")
    np.testing.assert_array_equal(judged["verdict"], expected)
    assert (comparisons["low"] < comparisons["difference"]).all()
    pd.testing.assert_frame_equal(
        judge_table("two", published, runs_of(samples)), judged[judged["table"] == "two"].reset_index(drop=True)
    )


def test_a_table_can_be_judged_from_its_own_experiments():
    runs = agreeing_runs()
    everything = judge(PUBLISHED, runs)[0]
    for name in PUBLISHED["table"].unique():
        needed = tables_needed(PUBLISHED[PUBLISHED["table"] == name])
        mine = runs._replace(table=runs.table[runs.table["experiment"].isin(needed)])
        wanted = everything[everything["table"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(judge_table(name, PUBLISHED, mine), wanted)
    assert tables_needed(PUBLISHED[PUBLISHED["table"] == "normal"]) == {"table1", "normal"}
    nothing = judge_table("table1", PUBLISHED, runs._replace(table=runs.table.iloc[:0]))
    assert set(nothing["verdict"]) == {"not_comparable"} and len(nothing) == 23


def agreeing_runs(n=6):
    """Runs of ours that come out as the report says, with as little spread as its claims need."""
    means = {row.ours.removesuffix(":accuracy"): row.value for row in PUBLISHED.itertuples() if is_number(row)}
    for scenario in CONFIG["experiments"]["normal"]["scenarios"]:
        gain = means[f"table1.{scenario}:robust"] - means[f"table1.{scenario}:standard"]
        means |= {f"normal.{scenario}:standard": 80.0, f"normal.{scenario}:robust": 80.0 + gain - 0.5}
    rng = np.random.default_rng(0)
    parts = []
    for name, mean in means.items():
        noise = rng.normal(size=n)
        sample = mean + (0.2 if name.startswith("svm.clean") else 0.005) * (noise - noise.mean())
        parts.append(runs_of({name: sample}))
        exp3 = name.startswith("table7.exp3")
        first = 1.0 if exp3 else 5.0 if name.startswith("table7.exp1") else 3.0
        parts[-1].table["params"] = [f'{{"k": {first + (0 if exp3 else r % 2)}}}' for r in range(n)]
    learned = {
        "table1.clean:robust": {"share_suspected": 0.01},
        "table7.exp1:flipping": {"flip_p0": 0.3, "flip_p1": 0.0},
    }
    for name, values in learned.items():
        parts += [runs_of({name: [value] * n}, metric) for metric, value in values.items()]
    # Tables 4 and 8 print the same methods, so that two numbers may be about one quantity; they are on other data.
    others: dict[str, tuple[float, str]] = {}
    for row in PUBLISHED[PUBLISHED["table"].isin(["table2", "table3", "table4", "table5", "table8"])].itertuples():
        for term in terms_of(row.ours):
            others.setdefault(":".join([f"{term.experiment}.{term.scenario}", *term[3:]]), (row.value, row.data))
    for key, (value, data) in others.items():
        name, _, metric = key.rpartition(":")
        parts.append(runs_of({name: [value] * n}, metric.removeprefix("commonest(").removesuffix(")"), data=data))
    parts.append(runs_of({"table2.tissues:robust": [1.0] * n}, "as_published"))
    suspected = {f"table2/tissues/robust/{r}/suspected": np.array([True, False]) for r in range(n)}
    return both(*parts)._replace(arrays=suspected)


def is_number(row):
    """Whether the report prints this accuracy."""
    return row.relation == "=" and row.ours.endswith(":accuracy")


@pytest.fixture(scope="module")
def agreed():
    return judge(PUBLISHED, agreeing_runs())


def test_everything_reproduces_if_ours_are_the_published_numbers(agreed):
    judged, comparisons = agreed
    assert list(judged.columns) == list(COLUMNS) and judged["id"].tolist() == PUBLISHED["id"].tolist()
    comparable = (PUBLISHED["ours"] != "") & (PUBLISHED["data"] == "report")
    expected = np.where(comparable, "reproduced", "not_comparable")
    assert judged.loc[judged["verdict"] != expected, ["id", "verdict"]].values.tolist() == []
    claimed = PUBLISHED[(PUBLISHED["relation"] == ">") & (PUBLISHED["ours"] != "")]
    assert comparisons["id"].drop_duplicates().tolist() == claimed["id"].tolist()
    assert comparisons.drop_duplicates("id")["data"].tolist() == claimed["data"].tolist()
    other = judged[(judged["data"] == "other") & (judged["relation"] != "=")]
    assert set(other["on_other_data"]) == {"reproduced"} and len(other) == N_ON_OTHER_DATA
    assert judged.loc[~judged["id"].isin(other["id"]), "on_other_data"].eq("").all()


@pytest.mark.parametrize("direction", [1.0, -1.0], ids=["better", "worse"])
@pytest.mark.parametrize(
    "moved", ["table1.p20.robust", "svm.noisy.svm", "table7.exp3.flipping", "table7.exp2.standard"]
)
def test_a_verdict_follows_the_number_it_is_about(agreed, moved, direction):
    row = PUBLISHED.set_index("id").loc[moved]
    table = agreeing_runs().table
    place, method, metric = row["ours"].split(":")
    mine = (table["experiment"] + "." + table["scenario"] == place) & (table["method"] == method)
    table.loc[mine & (table["metric"] == metric), "value"] += direction * 4.0 * row["se"]
    moved_too = judge(PUBLISHED, Runs(table, agreeing_runs().arrays))
    before, after = (judged.set_index("id") for judged, _ in (agreed, moved_too))
    turned = before.index[before["verdict"] != after["verdict"]]
    numbers = {row.id for row in PUBLISHED.itertuples() if is_number(row)}
    assert set(turned) & numbers == {moved}
    assert after.loc[moved, "verdict"] == ("better" if direction > 0.0 else "worse")
    assert after.loc[moved, "z"] == pytest.approx(direction * 4.0, abs=0.1)
    about = PUBLISHED.set_index("id")["ours"].str.contains(row["ours"], regex=False)
    assert about[turned].all()  # claims that have the number in them may turn with it, no others


def test_published_claims_are_well_formed():
    assert PUBLISHED["id"].is_unique and len(PUBLISHED) == N_PUBLISHED
    assert set(PUBLISHED["relation"]) <= set(RELATIONS)
    assert set(PUBLISHED["data"]) <= {"report", "other", "standin"}
    assert set(PUBLISHED["bold"]) <= {"", "yes"} and set(PUBLISHED["better"]) <= {"", "higher", "lower"}
    needs_a_value = PUBLISHED["relation"].isin(["=", "<="])
    assert PUBLISHED.loc[needs_a_value, "value"].notna().all()
    assert PUBLISHED.loc[~needs_a_value, "claim"].ne("").all()
    assert PUBLISHED.loc[PUBLISHED["relation"] != "=", "better"].eq("").all()  # a claim holds or does not
    assert PUBLISHED["ours"].ne("").all()


FACTS = {"positives", "negatives", "features", "p0", "p1", "test_positives", "test_negatives", "test_features"}


@pytest.mark.parametrize(("name", "expression"), [*zip(PUBLISHED["id"], PUBLISHED["ours"], strict=True)])
def test_claims_are_about_what_is_run(name, expression):
    for _, experiment, scenario, method, wanted in terms_of(expression):
        quantity = wanted.removeprefix("commonest(").removesuffix(")")
        about = CONFIG["experiments"][experiment]
        assert scenario in about["scenarios"], name
        if method == DATA:
            assert quantity in FACTS, name
            continue
        assert method in methods_of(CONFIG, experiment, scenario), name
        assert quantity in about["metrics"] or quantity.split("=")[0] in (about["methods"][method]["grid"] or {}), name


@pytest.mark.parametrize(("place", "count"), [("Table 1", 14), ("Section 6", 4), ("Table 7", 16)])
def test_every_number_of_the_simulations_is_there(place, count):
    numbers = [row for row in PUBLISHED.itertuples() if row.place == place and is_number(row)]
    assert len(numbers) == count
    assert all(50.0 < row.value < 100.0 and 0.0 < row.se < 1.0 and row.better == "higher" for row in numbers)
    for row in numbers:
        _, experiment, scenario, method, _ = parse(row.ours)[0]
        assert (row.table, row.column) == (experiment, method)
        assert row.row == " / ".join(CONFIG["experiments"][experiment]["scenarios"][scenario]["row"])


@pytest.mark.parametrize(("table", "count"), [("table4", 9), ("table5", 9), ("table8", 12)])
def test_every_score_of_the_words_is_there(table, count):
    numbers = [
        row for row in PUBLISHED.itertuples() if row.table == table and row.column in ("precision", "recall", "f1")
    ]
    assert len(numbers) == count
    for row in numbers:
        (term,) = parse(row.ours)
        assert (row.row, row.column) == (term.method, term.quantity)


def test_one_sentence_counts_all_verdicts(agreed):
    judged = agreed[0]
    text = counts_text(judged)
    kinds = judged["verdict"].value_counts()
    assert text.startswith(f"139 published numbers and claims: {kinds['reproduced']} reproduced, 0 better, 0 worse")
    assert text.endswith("7 are claims that were tried on other data: 7 reproduced, 0 contradicted, 0 inconclusive.")
    counted = [int(word) for word in re.findall(r"\d+", text.partition(":")[2].partition(".")[0])]
    assert sum(counted) == len(judged) == N_PUBLISHED and len(counted) == len(VERDICTS)


def test_failures_stand_first(agreed):
    judged = agreed[0].copy()
    moved = {"table1.p10.robust": "better", "table7.exp1.flip_p0": "different", "svm.noisy.gain": "inconclusive"}
    moved |= {"table7.exp1.prefilter": "worse", "table7.exp3.robust_over_flipping": "contradicted"}
    judged["verdict"] = judged["id"].map(moved).fillna(judged["verdict"])
    judged.loc[judged["id"] == "table5.gain", "on_other_data"] = "contradicted"
    ordered = in_order(judged)
    wanted = ["contradicted", "worse", "different", "inconclusive", "better"]
    assert ordered["verdict"].tolist()[:6] == [*wanted, "reproduced"]
    reproduced = ordered[ordered["verdict"] == "reproduced"]
    assert (
        reproduced["id"].tolist() == judged.loc[judged["verdict"] == "reproduced", "id"].tolist()
    )  # the report's order
    rest = ordered[ordered["verdict"] == "not_comparable"]
    assert rest["id"].iloc[0] == "table5.gain" and rest["on_other_data"].tolist()[1:7] == ["reproduced"] * 6
    assert list(ordered.columns) == list(judged.columns)


def test_digits_are_those_of_the_report():
    digits = PUBLISHED.set_index("id")["digits"]
    wanted = {
        "table1.clean.robust": 2,
        "table2.suspects": 0,
        "table3.auto.p0": 3,
        "table4.lam": 1,
        "normal.decrease": 0,
    }
    assert {name: digits[name] for name in wanted} == wanted
