"""The methods: one file, one class each, found by the file's name.

A method is a classifier of two classes as scikit-learn has them: `fit(X, y)`, `predict(X)`, parameters that `__init__`
only stores. To add one, put a file here and its name into config.yaml. A class may say over which values its
parameters are tuned where config.yaml does not, in the order of preference on a tie:

    grid = {"k": [1, 3, 5]}
"""

import importlib
import inspect
from pathlib import Path

_FOLDER = Path(__file__).parent
_SHARED = ("__init__", "base")


def known() -> list[str]:
    """The names of all methods."""
    return sorted(path.stem for path in _FOLDER.glob("*.py") if path.stem not in _SHARED)


def load(name: str):
    """The class of the method called `name`."""
    from sklearn.base import BaseEstimator

    if name not in known():
        raise ValueError(f"method {name!r} is not known; known are {', '.join(known())} (files in {_FOLDER.name}/)")
    module = importlib.import_module(f"{__name__}.{name}")
    classes = [
        member
        for member in vars(module).values()
        if inspect.isclass(member) and member.__module__ == module.__name__ and issubclass(member, BaseEstimator)
    ]
    if len(classes) != 1:
        found = ", ".join(member.__name__ for member in classes) or "none"
        raise ValueError(f"{_FOLDER.name}/{name}.py: must define exactly one estimator class, found {found}")
    return classes[0]
