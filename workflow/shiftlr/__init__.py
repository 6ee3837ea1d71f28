"""Robust logistic regression using shift parameters: solvers, scikit-learn estimators and tuning.

The estimators are imported when they are first asked for, since scikit-learn and numba take a second to import.
Importing any of this changes nothing outside: no setting of numba, of threads, of warnings or of the Python path.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shiftlr.methods.bi_tempered import BiTemperedLogisticRegression
    from shiftlr.methods.bianco_yohai import BiancoYohaiRegression
    from shiftlr.methods.flipping import FlippingLogisticRegression
    from shiftlr.methods.gce import GeneralizedCrossEntropyRegression
    from shiftlr.methods.hard_shifts import HardShiftLogisticRegression
    from shiftlr.methods.least_trimmed import LeastTrimmedLogisticRegression
    from shiftlr.methods.prefilter import PrefilteredLogisticRegression
    from shiftlr.methods.robust import RobustLogisticRegression, RobustPath, Suspects, robust_path
    from shiftlr.methods.standard import StandardLogisticRegression
    from shiftlr.methods.svm import LinearSVM

__version__ = "0.1.0"

__all__ = [
    "BiTemperedLogisticRegression",
    "BiancoYohaiRegression",
    "FlippingLogisticRegression",
    "GeneralizedCrossEntropyRegression",
    "HardShiftLogisticRegression",
    "LeastTrimmedLogisticRegression",
    "LinearSVM",
    "PrefilteredLogisticRegression",
    "RobustLogisticRegression",
    "RobustPath",
    "StandardLogisticRegression",
    "Suspects",
    "robust_path",
]

_HOMES = {
    "BiTemperedLogisticRegression": "bi_tempered",
    "BiancoYohaiRegression": "bianco_yohai",
    "FlippingLogisticRegression": "flipping",
    "GeneralizedCrossEntropyRegression": "gce",
    "HardShiftLogisticRegression": "hard_shifts",
    "LeastTrimmedLogisticRegression": "least_trimmed",
    "LinearSVM": "svm",
    "PrefilteredLogisticRegression": "prefilter",
    "RobustLogisticRegression": "robust",
    "RobustPath": "robust",
    "StandardLogisticRegression": "standard",
    "Suspects": "robust",
    "robust_path": "robust",
}


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.methods.{_HOMES[name]}"), name)


def __dir__():
    return sorted([*globals(), *__all__])
