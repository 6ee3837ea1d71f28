"""What is said of the models: scores with standard errors, differences on the same resamples, and facts."""

import numpy as np
import pandas as pd
import pytest
from made_up_words import make_ner, make_words
from shiftlr.evaluation import DIFFERENCES, SCORES, Models, evaluate, facts, gather
from shiftlr.metrics import scores
from shiftlr.recognition import save

WORDS = make_words(n=60)
NER = make_ner(resamples=400)
FAILED = {"status": "failed", "reason": "ArithmeticError: no luck"}


def made_up(seed, error, **more):
    """(about, decisions) of a model that is wrong on a share of the test set."""
    rng = np.random.default_rng(seed)
    right = np.where(WORDS.truth_test == 1, 1.0, -1.0) * rng.random(len(WORDS.truth_test))
    decisions = np.where(rng.random(len(right)) < error, -right, right)
    found = scores(decisions > 0.0, WORDS.truth_test == 1)
    return {"status": "ok", **found._asdict(), "params": {"alpha": 0.1}, **more}, decisions


def make_models():
    standard, robust, flipping = (
        made_up(0, 0.2),
        made_up(1, 0.05, params={"alpha": 0.1, "lam": 0.3}, share_shifted=0.25),
        made_up(2, 0.2, flips=[[0.999, 0.001], [0.127, 0.873]]),
    )
    about = {"standard": standard[0], "rival": FAILED, "robust": robust[0], "flipping": flipping[0]}
    found = {"standard": standard[1], "robust": robust[1], "flipping": flipping[1]}
    return Models(about, {f"{name}.test": decisions for name, decisions in found.items()})


@pytest.fixture
def evaluated():
    return evaluate("auto", WORDS, make_models(), NER)


def test_models_are_gathered_in_the_order_of_their_files(tmp_path):
    models = make_models()
    for name in ("robust", "standard", "rival"):
        arrays = {key: value for key, value in models.arrays.items() if key.startswith(name)}
        save(tmp_path / f"{name}.json", tmp_path / f"{name}.npz", {name: models.about[name]}, arrays)
    read = gather(tmp_path / f"{name}.json" for name in ("standard", "rival", "robust"))
    assert list(read.about) == ["standard", "rival", "robust"]
    assert read.about["rival"] == FAILED and read.about["robust"] == models.about["robust"]
    assert set(read.arrays) == {"standard.test", "robust.test"}
    assert np.array_equal(read.arrays["robust.test"], models.arrays["robust.test"])


def test_scores_are_the_models_own_with_standard_errors(evaluated):
    rows, _ = evaluated
    assert list(rows.columns) == list(SCORES) and rows["model"].tolist() == list(make_models().about)
    assert set(rows["labels"]) == {"auto"}
    robust = rows.set_index("model").loc["robust"]
    assert robust["f1"] == make_models().about["robust"]["f1"]
    for score in ("precision", "recall", "f1"):
        assert 0.5 < robust[f"{score}_se"] < 10.0


def test_failed_models_stay_rows_without_differences(evaluated):
    rows, differences = evaluated
    rival = rows.set_index("model").loc["rival"]
    assert rival["status"] == "failed" and rival["reason"] == FAILED["reason"]
    assert rival[["precision", "recall", "f1", "f1_se"]].isna().all()
    assert "rival" not in set(differences["model"]) | set(differences["against"])


def test_differences_change_sign_with_the_order(evaluated):
    rows, differences = evaluated
    assert list(differences.columns) == list(DIFFERENCES) and len(differences) == 3 * 2
    f1 = rows.set_index("model")["f1"]
    by_pair = differences.set_index(["model", "against"])
    for (one, other), row in by_pair.iterrows():
        back = by_pair.loc[(other, one)]
        assert row["difference"] == pytest.approx(f1[one] - f1[other])
        assert [row["difference"], row["low"], row["high"]] == pytest.approx(
            [-back["difference"], -back["high"], -back["low"]]
        )
        assert row["se"] == pytest.approx(back["se"])


def test_an_interval_holds_the_difference_and_is_about_four_standard_errors_wide(evaluated):
    for row in evaluated[1].itertuples():
        assert row.low < row.difference < row.high
        assert row.high - row.low == pytest.approx(2 * 1.96 * row.se, rel=0.25)


def test_equal_models_differ_by_nothing_on_every_resample():
    models = make_models()
    models.about["twin"] = models.about["standard"]
    models.arrays["twin.test"] = models.arrays["standard.test"]
    differences = evaluate("auto", WORDS, models, NER)[1].set_index(["model", "against"])
    assert (differences.loc[("twin", "standard"), ["difference", "se", "low", "high"]] == 0.0).all()


def test_nothing_but_failures_can_be_evaluated():
    rows, differences = evaluate("auto", WORDS, Models({"rival": FAILED}, {}), NER)
    assert rows["status"].tolist() == ["failed"] and differences.empty
    assert list(differences.columns) == list(DIFFERENCES)


def make_facts():
    counts = {"positives": 100, "negatives": 300, "features": 1000, "p0": 0.3, "p1": 0.01}
    about = {"auto": {**counts, "data": "standin"}, "per_article": {**counts, "data": "other"}}
    test = {"positives": 10, "negatives": 90, "features": 500, "data": "report"}
    models = dict.fromkeys(about, make_models())
    parts = [evaluate(kind, WORDS, models[kind], NER) for kind in about]
    tables = (pd.concat(one, ignore_index=True) for one in zip(*parts, strict=True))
    return facts(about, test, models, *tables)


def test_facts_say_on_which_data_they_were_found():
    found = make_facts()
    assert list(found.columns) == ["key", "value", "se", "data"] and found["key"].is_unique
    data = found.set_index("key")["data"]
    assert set(data[data.index.str.startswith("ner:auto_")]) == {"standin"}
    assert set(data[data.index.str.startswith("ner:per_article_")]) == {"other"}
    assert set(data[data.index.str.startswith("ner:test_")]) == {"report"}


def test_facts_are_counts_scores_gains_and_what_was_learned():
    found = make_facts().set_index("key")
    own = {key.removeprefix("ner:auto_") for key in found.index if key.startswith("ner:auto_")}
    scored = {f"{m}_{s}" for m in ("standard", "robust", "flipping") for s in ("precision", "recall", "f1")}
    counted = {"pos", "neg", "features", "p0", "p1"}
    learned = {"sigma2", "lam", "share", "flips"}
    assert own == counted | scored | learned | {"robust_gain", "flipping_gain"}
    assert found.loc["ner:test_features", "value"] == 500 and "ner:test_p0" not in found.index
    assert found.loc["ner:auto_pos", "value"] == 100 and np.isnan(found.loc["ner:auto_pos", "se"])
    values = found["value"]
    assert values["ner:auto_robust_gain"] == pytest.approx(
        values["ner:auto_robust_f1"] - values["ner:auto_standard_f1"]
    )
    assert values["ner:auto_sigma2"] == 10.0 and values["ner:auto_lam"] == 0.3 and values["ner:auto_flips"] == 0.127
    assert found.loc["ner:auto_share", "se"] == pytest.approx(np.sqrt(0.25 * 0.75 / 400))


def test_what_failed_is_no_fact():
    models = Models({"standard": made_up(0, 0.2)[0], "robust": FAILED}, {"standard.test": made_up(0, 0.2)[1]})
    about = {"auto": {"positives": 1, "negatives": 1, "data": "other"}}
    found = facts(about, {"data": "report"}, {"auto": models}, *evaluate("auto", WORDS, models, NER))
    assert set(found["key"]) == {"ner:auto_pos", "ner:auto_neg"} | {
        f"ner:auto_standard_{score}" for score in ("precision", "recall", "f1")
    }
