"""R's glmnet as appendix C calls it: the same model as ours where it converges, and a word where it does not."""

import os
import signal

import numpy as np
import pytest
from scipy import sparse
from shiftbench import fit, metrics, plugins
from shiftbench.datasets.base import Part
from shiftbench.methods import _r_process
from shiftbench.tuner import Tuner
from shiftlr import methods
from sklearn.exceptions import ConvergenceWarning

KIND = methods.load("glmnet_path", plugins.folders("methods", None))
ROBUST = methods.load("robust")
LAMS = [1.0, 0.5, 0.2, 0.1]
TUNING = {"by": "dev", "scoring": None, "limit": None, "penalty": None, "tol": None, "final_tol": None}
TUNING |= {"lams": None, "fold_penalties": "as_given"}
FIRST = {"procedure": "first_procedure", "train_accuracy": "theta", "prefer": "weaker", "prefer_lam": "larger"}
METHOD = {"method": "glmnet_path", "params": {}, "grid": {"lam": LAMS}}

pytestmark = pytest.mark.skipif(bool(KIND.missing()), reason=KIND.missing())


def draw(seed, n=100, features=3, p0=0.3):
    """Features and labels, of whose negatives some are flipped."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, features))
    truth = rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * X.sum(axis=1)))
    return X, truth | (rng.random(n) < p0)


def draw_failing():
    """Where glmnet stops at the first lambda that allows a shift: Table 1 with 10 % noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-5.0, 5.0, (500, 10))
    return X, (2.0 * X.sum(axis=1) + rng.logistic(size=500) > 0.0) | (rng.random(500) < 0.1)


def test_along_its_own_path_it_has_the_exact_solutions():
    """So lambda is rescaled rightly: by the number of examples, and by glmnet's scaling of penalty factors."""
    X, y = draw(1)
    path = KIND(thresh=1e-14).fit_path(X, y)
    lams = [model.lam for model in path]
    assert len(path) > 20 and lams == sorted(lams, reverse=True) and lams[0] <= 1.0
    assert not path[0].shifts_.any() and path[-1].shifts_.any()
    for model in path[1::10]:
        exact = ROBUST(lam=model.lam, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-4)
        np.testing.assert_allclose(model.intercept_, exact.intercept_, atol=1e-4)
        np.testing.assert_allclose(model.shifts_, exact.shifts_, atol=1e-4)
        assert model.not_converged_ == 0.0


@pytest.mark.parametrize("alpha", [5.0, 1.0])
@pytest.mark.parametrize("lam", [0.2, 0.05])
def test_with_an_l1_penalty_it_has_the_exact_solution(alpha, lam):
    X, y = draw(2, features=5)
    found = KIND(penalty="l1", alpha=alpha, lam=lam, thresh=1e-14).fit(X, y)
    exact = ROBUST(penalty="l1", alpha=alpha, lam=lam, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(found.coef_, exact.coef_, atol=1e-4)
    np.testing.assert_allclose(found.shifts_, exact.shifts_, atol=1e-4)
    assert found.not_converged_ == 0.0 and found.shifts_.any()


def test_a_path_that_stops_is_reported_and_leaves_the_standard_model():
    X, y = draw_failing()
    with pytest.warns(
        ConvergenceWarning, match=r"glmnet did not converge \(jerr = -2\): its path ends after solution 1"
    ):
        (model,) = KIND().fit_path(X, y)
    assert model.not_converged_ == 1.0 and model.lam == 1.0 and not model.shifts_.any()
    standard = methods.load("standard")().fit(X, y)
    np.testing.assert_allclose(model.coef_, standard.coef_, rtol=0.01)


def test_a_pair_that_does_not_converge_is_a_model_of_zeros():
    rng = np.random.default_rng(0)
    X = rng.uniform(-5.0, 5.0, (100, 20))
    y = (X[:, :5].sum(axis=1) > 0.0) | (rng.random(100) < 0.3)
    grid = [{"alpha": 0.5, "lam": lam} for lam in (0.5, 0.05)]
    with pytest.warns(ConvergenceWarning, match="glmnet did not converge for 1 of 2 settings"):
        failed, fine = KIND(penalty="l1").fit_settings(grid, X, y)
    assert not failed.coef_.any() and not failed.shifts_.any() and fine.coef_.any()
    assert failed.not_converged_ == fine.not_converged_ == 0.5


def test_fit_takes_the_nearest_lam_of_the_path():
    X, y = draw(1)
    path = KIND().fit_path(X, y)
    model = KIND(lam=path[7].lam * 1.001).fit(X, y)
    np.testing.assert_array_equal(model.coef_, path[7].coef_)
    assert model.get_params()["lam"] == path[7].lam * 1.001


def test_labels_may_be_any_two_values_and_features_sparse():
    X, y = draw(1)
    plain = KIND(lam=0.2).fit(X, y)
    names = np.array(["no", "yes"])[y.astype(int)]
    found = KIND(lam=0.2).fit(sparse.csr_matrix(X), names)
    np.testing.assert_array_equal(found.coef_, plain.coef_)
    assert set(found.predict(X)) == {"no", "yes"}


def test_after_maxit_passes_it_gives_up():
    X, y = draw(1)
    with pytest.warns(ConvergenceWarning, match="its path ends after"):
        assert len(KIND(maxit=100).fit_path(X, y)) < len(KIND().fit_path(X, y))


@pytest.mark.parametrize(("penalty", "how"), [("l2", "fit"), ("l1", "fit_path")])
def test_other_penalties_are_refused(penalty, how):
    with pytest.raises(ValueError, match=r"penalty='l.': must be None"):
        getattr(KIND(penalty=penalty, alpha=1.0), how)(*draw(1))


def tuned(**tuning):
    parts = {name: Part(*draw(seed, features=5), None) for seed, name in enumerate(("train", "dev"))}
    tuner = Tuner(METHOD, TUNING | {"procedure": "jointly"} | tuning, None, 0)
    return parts, *tuner.fit(parts)


def test_lam_of_the_path_is_chosen_on_the_development_set_the_larger_on_a_tie():
    parts, estimator, params, score = tuned()
    path = KIND().fit_path(parts["train"].X, parts["train"].labels)
    scores = [model.score(parts["dev"].X, parts["dev"].labels) for model in path]
    best = path[int(np.argmax(scores))]
    assert score == max(scores) and params == {"lam": best.lam}
    np.testing.assert_array_equal(estimator.coef_, best.coef_)


@pytest.mark.filterwarnings("ignore:GlmnetPath")
def test_pairs_are_chosen_by_the_first_procedure():
    lists = {"alphas": [5.0, 0.5], "sigma2s": None, "folds": 5, "repeats": 1}
    parts, estimator, params, score = tuned(penalty="l1", **FIRST, **lists)
    train, best = parts["train"], []
    for alpha in (0.5, 5.0):  # the weaker is preferred
        fits = [KIND(lam=lam, penalty="l1", alpha=alpha).fit(train.X, train.labels) for lam in LAMS]
        best.append(fits[int(np.argmax([one.score(train.X, train.labels) for one in fits]))])
    scores = [one.score(parts["dev"].X, parts["dev"].labels) for one in best]
    wanted = best[int(np.argmax(scores))]
    assert score == max(scores) and params == {"alpha": wanted.alpha, "lam": wanted.lam}
    np.testing.assert_array_equal(estimator.coef_, wanted.coef_)


def test_metrics_count_what_did_not_converge_and_has_no_shifts():
    parts, estimator, params, score = tuned()
    outcome = fit.Outcome(estimator, params, score, parts)
    assert metrics.not_converged(outcome) == estimator.not_converged_
    assert metrics.without_shifts(outcome) == float(not estimator.shifts_.any())
    standard = methods.load("standard")().fit(parts["train"].X, parts["train"].labels)
    other = fit.Outcome(standard, {}, score, parts)
    assert metrics.not_converged(other) is None and metrics.without_shifts(other) is None


def test_an_error_of_r_is_raised_in_its_words_and_the_next_fit_goes_on():
    X, y = draw(1)
    with pytest.raises(_r_process.RError, match=r"glmnet_path.R: one multinomial or binomial class has 1 or 0"):
        KIND().fit(X, np.arange(len(y)) == 0)
    assert KIND(lam=0.2).fit(X, y).coef_.any()


def process():
    return next(one for (pid, _), one in _r_process._running.items() if pid == os.getpid())


def test_r_is_started_once_and_again_after_it_has_died():
    X, y = draw(1)
    KIND().fit(X, y)
    first = process()
    wanted = KIND().fit(X, y).coef_
    assert process() is first
    os.kill(first.process.pid, signal.SIGKILL)
    with pytest.raises(_r_process.RError, match=r"glmnet_path.R: R ended with code -9"):
        KIND().fit(X, y)
    np.testing.assert_array_equal(KIND().fit(X, y).coef_, wanted)
    assert process() is not first


def test_a_script_that_cannot_start_says_why(tmp_path):
    script = tmp_path / "broken.R"
    script.write_text("stop('no such luck')\n")
    with pytest.raises(_r_process.RError, match=r"(?s)broken.R: R ended with code 1: .*no such luck"):
        _r_process.ask(script, [np.zeros(3)])


def test_r_ends_when_it_is_stopped():
    KIND().fit(*draw(1))
    running = process()
    _r_process._running.clear()
    running.stop()
    assert running.process.poll() == 0
