"""What the report says in the place that a scenario or method of ours is a reading of."""

import numpy as np
import pandas as pd

from shiftbench.present.context import Context


def published_for(
    context: Context, published: pd.DataFrame, experiment: str, scenario: str, method: str, metric: str
) -> tuple[float, float]:
    """(value, standard error) of the published number; NaN where there is none. `published` are all rows of the report.

    A scenario or method that is no reading of another stands for itself.
    """
    place = context.about(experiment, scenario)["reading_of"] or f"{experiment}.{scenario}"
    name = context.config["experiments"][experiment]["methods"][method]["reading_of"]
    found = published[(published["relation"] == "=") & (published["ours"] == f"{place}:{name}:{metric}")]
    return (float(found["value"].iloc[0]), float(found["se"].iloc[0])) if len(found) else (np.nan, np.nan)
