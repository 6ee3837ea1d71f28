"""Grids for pipelines: the steps before the classifier are fitted once for all settings."""

from sklearn.base import clone
from sklearn.pipeline import Pipeline


def split_pipeline(estimator, grid):
    """(the steps before the classifier as a pipeline, the classifier, the grid in the classifier's own names).

    (None, estimator, grid) for anything but a pipeline. A grid may say `lam`, or `robustlogisticregression__lam` as for
    `set_params` of the pipeline; a ValueError for a parameter of another step, which would have to be fitted again.
    """
    if not isinstance(estimator, Pipeline):
        return None, estimator, grid
    name, classifier = estimator.steps[-1]
    own = []
    for params in grid:
        own.append({key.removeprefix(f"{name}__"): value for key, value in params.items()})
        unknown = [key for key in own[-1] if key not in classifier.get_params()]
        if unknown:
            raise ValueError(
                f"grid: {unknown[0]!r} is no parameter of the pipeline's last step, {type(classifier).__name__}; other "
                "steps are fitted once for all settings. Tune them by scikit-learn's GridSearchCV"
            )
    return estimator[:-1], classifier, own


def last_step(estimator):
    """The classifier of a pipeline; any other estimator itself."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def with_last_step(estimator, classifier):
    """The pipeline with another classifier; of any other estimator the classifier alone."""
    if not isinstance(estimator, Pipeline):
        return classifier
    return Pipeline([*clone(estimator).steps[:-1], (estimator.steps[-1][0], classifier)])


class PipelineFits:
    """The fits of a grid to features that a pipeline's first steps have made."""

    def __init__(self, pipeline, first, fits):
        self.pipeline, self.first, self.fits = pipeline, first, fits
        self.shares, self.classes = fits.shares, fits.classes

    def estimator(self, k):
        """The whole pipeline with fit k."""
        return Pipeline([*self.first.steps, (self.pipeline.steps[-1][0], self.fits.estimator(k))])

    def accuracies(self, X, y):
        return self.fits.accuracies(self.first.transform(X), y)

    def accuracies_with_shifts(self, X, y, lams):
        return self.fits.accuracies_with_shifts(self.first.transform(X), y, lams)

    def scores(self, X, y, scoring):
        return self.fits.scores(self.first.transform(X), y, scoring)

    def class_scores(self, k, X):
        return self.fits.class_scores(k, self.first.transform(X))

    def take(self, places):
        """Some of the fits."""
        return PipelineFits(self.pipeline, self.first, self.fits.take(places))
