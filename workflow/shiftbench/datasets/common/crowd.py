"""Sets that several crowd workers labelled: one label for each example out of their answers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shiftbench.datasets.base import Part
from shiftbench.datasets.common.parts import Encoder, build, origin_of
from shiftbench.datasets.common.settings import check_choice, check_share
from shiftbench.datasets.common.votes import WAYS, draw_labels

# An answer drawn at random, or the commonest (majority); the share of the training examples that is kept to tune on.
DEFAULTS = {"answers": "one", "dev": 0.2}


def load_parts(
    train: Part,
    answers: np.ndarray,
    test: Part,
    classes: Sequence[str],
    settings: dict[str, Any],
    rng,
    learn: Callable[[Any], Encoder],
) -> dict[str, Any]:
    """The parts, with labels from the workers' answers; the tag `worker` is the one whose answer was drawn."""
    labels, workers = draw_labels(answers, settings["answers"], len(classes), rng)
    origin = origin_of(*settings["folders"].values())
    about = {"classes": list(classes), "origin": origin, "test_origin": origin, "workers": answers.shape[1]}
    train = train._replace(labels=labels, tags={"worker": workers})
    return build(train, test, settings["dev"], rng, learn) | {"about": about}


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    yield from check_choice(settings, "answers", WAYS)
    yield from check_share(settings, "dev")
