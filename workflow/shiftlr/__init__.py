"""Robust logistic regression using shift parameters: solvers, scikit-learn estimators and tuning.

The estimators are imported when they are first asked for, since scikit-learn and numba take a second to import.
Importing any of this changes nothing outside: no setting of numba, of threads, of warnings or of the Python path.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shiftlr.methods._suspects import Suspects
    from shiftlr.methods.bi_tempered import BiTemperedLogisticRegression
    from shiftlr.methods.bianco_yohai import BiancoYohaiRegression
    from shiftlr.methods.flipping import FlippingLogisticRegression
    from shiftlr.methods.gce import GeneralizedCrossEntropyRegression
    from shiftlr.methods.hard_shifts import HardShiftLogisticRegression
    from shiftlr.methods.least_trimmed import LeastTrimmedLogisticRegression
    from shiftlr.methods.prefilter import PrefilteredLogisticRegression
    from shiftlr.methods.robust import RobustLogisticRegression, RobustPath, robust_path
    from shiftlr.methods.standard import StandardLogisticRegression
    from shiftlr.methods.svm import LinearSVM
    from shiftlr.suspects import LabelErrors, find_label_errors

__version__ = "0.1.0"

__all__ = [
    "BiTemperedLogisticRegression",
    "BiancoYohaiRegression",
    "FlippingLogisticRegression",
    "GeneralizedCrossEntropyRegression",
    "HardShiftLogisticRegression",
    "LabelErrors",
    "LeastTrimmedLogisticRegression",
    "LinearSVM",
    "PrefilteredLogisticRegression",
    "RobustLogisticRegression",
    "RobustPath",
    "StandardLogisticRegression",
    "Suspects",
    "find_label_errors",
    "robust_path",
]

_HOMES = {
    "BiTemperedLogisticRegression": "methods.bi_tempered",
    "BiancoYohaiRegression": "methods.bianco_yohai",
    "FlippingLogisticRegression": "methods.flipping",
    "GeneralizedCrossEntropyRegression": "methods.gce",
    "HardShiftLogisticRegression": "methods.hard_shifts",
    "LabelErrors": "suspects",
    "LeastTrimmedLogisticRegression": "methods.least_trimmed",
    "LinearSVM": "methods.svm",
    "PrefilteredLogisticRegression": "methods.prefilter",
    "RobustLogisticRegression": "methods.robust",
    "RobustPath": "methods.robust",
    "StandardLogisticRegression": "methods.standard",
    "Suspects": "methods._suspects",
    "find_label_errors": "suspects",
    "robust_path": "methods.robust",
}


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__():
    return sorted([*globals(), *__all__])
