"""A file of one's own as a dataset: CSV or Parquet, columns of numbers and of text, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from shiftbench.datasets import base, file


def frame(n=40):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "plan": rng.choice(["basic", "full", "trial"], n),
            "paid": rng.random(n) < 0.5,
            "churn": rng.choice(["yes", "no"], n),
            "checked": rng.choice(["yes", "no"], n),
            "name": [f"c{k:02}" for k in range(n)],
            "town": rng.choice(["a", "b", "c", "d", "e", "f", "g", "h"], n),
        }
    )


@pytest.fixture(params=[".csv", ".parquet"])
def write(request, tmp_path):
    """Writes a table and returns its path."""

    def writing(table):
        path = tmp_path / f"my{request.param}"
        table.to_csv(path, index=False) if request.param == ".csv" else table.to_parquet(path)
        return str(path)

    return writing


def load(path, seed=0, **settings):
    asked = file.DEFAULTS | {"file": path, "label": "churn"} | settings
    assert list(file.check(asked)) == []
    return file.load(asked, np.random.default_rng(seed))


def rows(table, part):
    return [int(table.index[table["name"] == name][0]) for name in part.ids]


ROLES = {"truth": "checked", "id": "name", "group": "town"}


def test_every_column_plays_its_part(write):
    table = frame()
    parts = load(write(table), **ROLES)
    about = parts.pop("about")
    assert about == {"origin": "other", "source": about["source"], "classes": ["no", "yes"]}
    assert about["source"].startswith("my.")
    assert sorted(name for part in parts.values() for name in part.ids) == table["name"].tolist()
    for name, part in parts.items():
        given = table.iloc[rows(table, part)]
        wanted = pd.DataFrame({"age": given["age"], "paid": given["paid"]})
        for plan in ("basic", "full", "trial"):
            wanted[plan] = given["plan"] == plan
        np.testing.assert_array_equal(part.X, wanted.to_numpy(dtype=float))
        column = "checked" if name == "test" else "churn"
        assert part.labels.tolist() == (given[column] == "yes").astype(int).tolist()
        assert part.truth.tolist() == (given["checked"] == "yes").astype(int).tolist()
        assert part.groups.tolist() == given["town"].tolist()
    assert not set(parts["train"].groups) & set(parts["test"].groups)


def test_a_label_is_all_that_is_needed(write):
    table = frame()[["age", "churn"]]
    parts = load(write(table))
    del parts["about"]
    assert {name: part.X.shape for name, part in parts.items()} == {"train": (20, 1), "dev": (10, 1), "test": (10, 1)}
    assert parts["train"].truth is None and parts["train"].groups is None
    ids = np.concatenate([part.ids for part in parts.values()])
    assert sorted(ids) == list(range(40))  # rows are counted
    for part in parts.values():
        assert part.X[:, 0].tolist() == table["age"].to_numpy()[part.ids].tolist()


def test_shares_of_the_parts(write):
    parts = load(write(frame()), dev=0.0, test=0.5)
    assert "dev" not in parts and len(parts["train"].labels) == len(parts["test"].labels) == 20


def test_a_replicate_is_another_split_with_its_noise(write):
    path = write(frame())
    settings = file.DEFAULTS | {"file": path, "label": "churn"}

    def replicate(number):
        return base.draw(
            file,
            settings,
            lambda part, rng: rng.random(len(part.labels)) < 0.3,
            base.seed_of("e", number, 1),
            "s",
            number,
        )

    one, again, other = replicate(0), replicate(0), replicate(1)
    np.testing.assert_array_equal(one.parts["train"].labels, again.parts["train"].labels)
    assert one.parts["train"].ids.tolist() != other.parts["train"].ids.tolist()
    assert (
        0.0 < one.about["mislabelled"] < 0.7 and one.about["features"] == 2 + 3 + 2 + 40 + 8
    )  # a column for each text


@pytest.mark.parametrize(
    ("values", "classes"), [([3, 7], ["3", "7"]), ([False, True], ["False", "True"]), ([0.5, -1.0], ["-1.0", "0.5"])]
)
def test_any_two_values_are_classes_in_sorted_order(write, values, classes):
    table = frame().assign(churn=np.where(np.arange(40) % 3 == 0, *values))
    parts = load(write(table), id="name")
    assert parts["about"]["classes"] == classes
    for name in ("train", "dev", "test"):
        given = table["churn"].to_numpy()[rows(table, parts[name])]
        assert parts[name].labels.tolist() == (given == max(values)).astype(int).tolist()


@pytest.mark.parametrize("role", ["label", "truth", "id", "group"])
def test_a_column_that_is_not_there_is_named(write, role):
    message = rf"has no column 'nope' \({role}\); it has age, plan, paid, churn, checked, name, town"
    with pytest.raises(ValueError, match=message):
        load(write(frame()), **{role: "nope"})


def test_missing_values_are_named(write):
    table = frame()
    table["age"] = table["age"].astype(float).where(table.index != 3)
    table["plan"] = table["plan"].where(table.index != 5)
    with pytest.raises(ValueError, match="columns with missing values: age, plan; fill or drop them first"):
        load(write(table))


@pytest.mark.parametrize("role", ["churn", "checked"])
def test_missing_labels_are_counted(write, role):
    table = frame()
    table[role] = table[role].where(table.index > 2)
    with pytest.raises(ValueError, match=f"column '{role}' has 3 rows without a label; drop them"):
        load(write(table), truth="checked")


def test_there_must_be_two_classes(write):
    with pytest.raises(ValueError, match="column 'churn' has one value, 'a'; two or more classes are needed"):
        load(write(frame().assign(churn="a")))


def test_numbers_that_are_no_classes_are_refused(write):
    with pytest.raises(
        ValueError, match="column 'churn' has 40 different values in 40 rows; a class needs two examples"
    ):
        load(write(frame().assign(churn=np.arange(40) / 7.0)))


@pytest.mark.parametrize(
    ("values", "classes"),
    [(["dear", "cheap", "free"], ["cheap", "dear", "free"]), ([7, 3, 9, 1], ["1", "3", "7", "9"])],
)
def test_more_than_two_values_are_classes_in_sorted_order(write, values, classes):
    table = frame().assign(churn=np.resize(values, 40), checked=np.resize(values[:2], 40))
    parts = load(write(table), id="name", truth="checked")
    assert parts["about"]["classes"] == classes
    for name in ("train", "dev", "test"):
        place = rows(table, parts[name])
        labels = table["churn" if name != "test" else "checked"].to_numpy()[place]
        assert [classes[code] for code in parts[name].labels] == [str(one) for one in labels]
        assert [classes[code] for code in parts[name].truth] == [str(one) for one in table["checked"].to_numpy()[place]]


def test_the_truth_must_have_the_labels_classes(write):
    table = frame().assign(checked=np.resize(["yes", "perhaps"], 40))
    message = r"column 'checked' has values \['perhaps', 'yes'\], the labels are \['no', 'yes'\]"
    with pytest.raises(ValueError, match=message):
        load(write(table), truth="checked")


def test_a_truth_of_one_class_is_enough(write):
    parts = load(write(frame().assign(checked="yes")), truth="checked")
    assert parts["train"].truth.all() and parts["test"].labels.all()
