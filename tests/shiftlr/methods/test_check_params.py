"""`check_params` needs no data, looks at every parameter, and says what `fit` says: they are the same check."""

import pytest
from estimators import ALL
from problems import random_problem
from shiftbench.methods.confident_learning import ConfidentLearning
from shiftbench.methods.glmnet_path import GlmnetPath
from shiftbench.methods.prefilter_oracle import OraclePrefilter
from sklearn.base import clone

X, Y, _ = random_problem(14, 30, 2)
EVERY = [*ALL, ConfidentLearning(), GlmnetPath(), OraclePrefilter()]
BAD = ["nonsense", -1, float("nan"), [[]]]


@pytest.mark.parametrize("estimator", EVERY, ids=repr)
def test_defaults_are_allowed(estimator):
    estimator = clone(estimator)  # other tests may have fitted it
    assert estimator.check_params().keys() >= {"tol", "max_iter", "fit_intercept"}
    assert not [name for name in vars(estimator) if name.endswith("_")]


@pytest.mark.parametrize(
    ("estimator", "name"),
    [pytest.param(estimator, name, id=f"{estimator}-{name}") for estimator in EVERY for name in estimator.get_params()],
)
@pytest.mark.parametrize("value", BAD, ids=repr)
def test_every_parameter_is_looked_at_and_named(estimator, name, value):
    with pytest.raises(ValueError, match=f"^{name}="):
        clone(estimator).set_params(**{name: value}).check_params()


@pytest.mark.parametrize("estimator", [*ALL, ConfidentLearning()], ids=repr)
def test_fit_says_the_same(estimator):
    for name in estimator.get_params():
        bad = clone(estimator).set_params(**{name: "nonsense"})
        with pytest.raises(ValueError, match=f"^{name}=") as early:
            bad.check_params()
        with pytest.raises(ValueError, match=f"^{name}=") as late:
            bad.fit(X, Y)
        assert str(early.value) == str(late.value)


def test_a_penalty_and_its_strength_are_judged_together():
    standard = ALL[0]
    with pytest.raises(ValueError, match=r"alpha=1\.0: has no effect with penalty=None"):
        clone(standard).set_params(alpha=1.0).check_params()
    assert clone(standard).set_params(alpha=1.0, penalty="l1").check_params()["alpha"] == 1.0
    with pytest.raises(ValueError, match=r"alpha=0\.0: must be a finite number greater than 0"):
        GlmnetPath(penalty="l1").check_params()
    with pytest.raises(ValueError, match="penalty='l2': must be one of None, 'l1'"):
        GlmnetPath(penalty="l2", alpha=1.0).check_params()
