"""All estimators with their defaults, for tests that every one of them must pass."""

from shiftlr import (
    FlippingLogisticRegression,
    LinearSVM,
    PrefilteredLogisticRegression,
    RobustLogisticRegression,
    StandardLogisticRegression,
)

ALL = [
    StandardLogisticRegression(),
    RobustLogisticRegression(),
    FlippingLogisticRegression(),
    PrefilteredLogisticRegression(),
    LinearSVM(),
]
