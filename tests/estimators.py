"""All estimators with their defaults, for tests that every one of them must pass."""

from shiftlr import (
    BiancoYohaiRegression,
    BiTemperedLogisticRegression,
    FlippingLogisticRegression,
    GeneralizedCrossEntropyRegression,
    HardShiftLogisticRegression,
    LeastTrimmedLogisticRegression,
    LinearSVM,
    PrefilteredLogisticRegression,
    RobustLogisticRegression,
    StandardLogisticRegression,
)

RIVALS = [
    HardShiftLogisticRegression(),
    GeneralizedCrossEntropyRegression(),
    LeastTrimmedLogisticRegression(),
    BiTemperedLogisticRegression(),
    BiancoYohaiRegression(),
]

ALL = [
    StandardLogisticRegression(),
    RobustLogisticRegression(),
    FlippingLogisticRegression(),
    PrefilteredLogisticRegression(),
    LinearSVM(),
    *RIVALS,
]
