"""What is a method's answer and what is not: the first is a row, the second fails the job and leaves nothing."""

import pickle
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool

import numba
import numpy as np
import pytest
from rivals import make_job, make_replicate
from shiftbench import failures, fit
from shiftbench.time_limit import TimeLimit

REPLICATE = make_replicate()
RAISING = '''
import builtins
import pickle
import subprocess
from concurrent.futures.process import BrokenProcessPool

import numpy as np
from shiftlr.methods.standard import StandardLogisticRegression

ERRORS = {
    "LinAlgError": np.linalg.LinAlgError("singular"),
    "UnpicklingError": pickle.UnpicklingError("invalid load key"),
    "BrokenProcessPool": BrokenProcessPool("a worker was killed"),
    "CalledProcessError": subprocess.CalledProcessError(1, "Rscript"),
    "cause": RuntimeError("could not look it up"),
    "group": ExceptionGroup("several", [ValueError("one"), OSError("two")]),
}
ERRORS["cause"].__cause__ = FileNotFoundError("no such file")


class Raising(StandardLogisticRegression):
    """Raises what it is told to."""

    def __init__(self, kind="", where="fit", penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        super().__init__(penalty, alpha, fit_intercept, tol, max_iter)
        self.kind, self.where = kind, where

    def fit(self, X, y):
        return self._say("fit") or super().fit(X, y)

    def predict(self, X):
        self._say("predict")
        return super().predict(X)

    def _say(self, where):
        if self.kind and where == self.where:
            raise ERRORS[self.kind] if self.kind in ERRORS else getattr(builtins, self.kind)("no luck")
'''
ANSWERS = [
    *("ValueError", "ArithmeticError", "FloatingPointError", "OverflowError", "LinAlgError", "RuntimeError"),
    *("NotImplementedError", "RecursionError", "KeyError", "IndexError", "TypeError", "AttributeError", "NameError"),
    *("AssertionError", "StopIteration", "UserWarning", "SystemExit"),
]
BROKEN = [
    *("MemoryError", "OSError", "PermissionError", "TimeoutError", "ImportError", "ModuleNotFoundError"),
    *("EOFError", "SystemError", "SyntaxError", "UnpicklingError", "BrokenProcessPool", "CalledProcessError"),
    *("cause", "group", "KeyboardInterrupt"),
]


@pytest.fixture
def run(tmp_path):
    (tmp_path / "methods").mkdir()
    (tmp_path / "methods" / "raising.py").write_text(RAISING)

    def running(**params):
        return fit.run(make_job(str(tmp_path), "raising", {"params": params}), REPLICATE, {})

    return running


@pytest.mark.parametrize("where", ["fit", "predict"])
@pytest.mark.parametrize("kind", ANSWERS)
def test_what_a_method_says_of_its_data_is_a_row(run, kind, where):
    rows, arrays = run(kind=kind, where=where)
    assert rows[0]["status"] == "failed" and rows[0]["reason"].startswith(f"{kind}: ") and arrays == {}
    assert np.isnan(rows[0]["value"])


@pytest.mark.parametrize("where", ["fit", "predict"])
@pytest.mark.parametrize("kind", BROKEN)
def test_what_says_that_something_is_broken_here_is_none(run, kind, where):
    with pytest.raises(BaseException) as caught:
        run(kind=kind, where=where)
    assert not isinstance(caught.value, fit.runs.Skipped | pytest.fail.Exception)
    if kind != "KeyboardInterrupt":
        assert caught.value.__notes__ == [
            "while raising on replicate 0 of e.s was fitted; nothing of this job is kept: run it again"
        ]


@numba.njit
def refuse(value):
    if value > 0:
        raise ValueError("it is above zero")
    return value


@numba.njit
def not_to_be_compiled(value):
    return value.nothing_like_it


def raised(call, *words):
    with pytest.raises(BaseException) as caught:
        call(*words)
    return caught.value


def test_compiled_code_may_refuse_its_data_but_must_compile():
    assert failures.is_answer(raised(refuse, 1.0))
    assert not failures.is_answer(raised(not_to_be_compiled, 1.0))


@pytest.mark.parametrize("error", [ValueError, KeyError, IndexError, AttributeError, UnicodeDecodeError, RuntimeError])
def test_a_damaged_cache_may_raise_anything(monkeypatch, error):
    """Random bytes are pickles too, of a kind."""
    words = ("utf-8", b"\xff", 0, 1, "no luck") if error is UnicodeDecodeError else ("no luck",)
    function = numba.njit(lambda value: value)

    def damaged(*_):
        raise error(*words)

    monkeypatch.setattr(function, "_cache", type("Cache", (), {"load_overload": damaged})())
    found = raised(function, 1.0)
    assert type(found) is error and not failures.is_answer(found)


@pytest.mark.parametrize("code", ["raise ValueError('not with this version')", "import nothing_like_it", "x = = 1"])
def test_a_package_that_cannot_be_imported_is_no_answer(tmp_path, monkeypatch, code):
    (tmp_path / "broken_package.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("broken_package", None)
    assert not failures.is_answer(raised(lambda: __import__("broken_package")))


def test_no_memory_for_an_array_is_no_answer():
    assert not failures.is_answer(raised(np.empty, 10**17))


def test_reasons():
    assert failures.reason_of(ValueError("no luck")) == "ValueError: no luck"
    assert failures.reason_of(SystemExit(0)) == "SystemExit: it called sys.exit(0)"
    assert failures.reason_of(TimeLimit("it took longer than 5 s")) == "time limit: it took longer than 5 s"


def test_the_classes_are_what_they_are_said_to_be():
    assert {OSError, MemoryError, ImportError, EOFError, pickle.PickleError} <= set(failures.ENVIRONMENT)
    assert issubclass(BrokenProcessPool, failures.ENVIRONMENT)
    assert issubclass(subprocess.TimeoutExpired, failures.ENVIRONMENT)
    assert not issubclass(np.linalg.LinAlgError, failures.ENVIRONMENT)
