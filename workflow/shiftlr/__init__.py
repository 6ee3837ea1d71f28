"""Robust logistic regression using shift parameters: solvers, scikit-learn estimators and tuning."""

from shiftlr.methods.flipping import FlippingLogisticRegression
from shiftlr.methods.prefilter import PrefilteredLogisticRegression
from shiftlr.methods.robust import RobustLogisticRegression, RobustPath, Suspects, robust_path
from shiftlr.methods.standard import StandardLogisticRegression
from shiftlr.methods.svm import LinearSVM

__version__ = "0.1.0"

__all__ = [
    "FlippingLogisticRegression",
    "LinearSVM",
    "PrefilteredLogisticRegression",
    "RobustLogisticRegression",
    "RobustPath",
    "StandardLogisticRegression",
    "Suspects",
    "robust_path",
]
