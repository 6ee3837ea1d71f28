"""Labels that are wrong where the classes meet."""

import numpy as np


def nearest(*, share: float):
    """Flips the `share` of the examples that are nearest to the middle between the two classes' means."""

    def flips(part, rng):
        truth = (part.labels if part.truth is None else part.truth).astype(bool)
        means = part.X[truth].mean(axis=0), part.X[~truth].mean(axis=0)
        middle, direction = (means[0] + means[1]) / 2.0, means[0] - means[1]
        distance = np.abs((part.X - middle) @ direction)
        return distance <= np.quantile(distance, share)

    return flips
