"""The problems, a function each; importing this package registers all of them, in the order of the tables."""

from shiftbench.speed.problems import dense, wide, lasso, words, many_classes, flipping, svm, starting, by_rows  # noqa: F401, I001
