"""A fit is right, or it warns: several kinds of hostility at once. `make fuzz` tries many more of them."""

import os

import pytest
from hostile_problems import MODELS, mixed_problem, wrong_in_silence

N_MIXTURES = int(os.environ.get("SHIFTLR_FUZZ", "40"))

# Mixtures that fits were once wrong about without a word, each kind for a reason of its own.
ONCE_WRONG = {
    55: "separable beside a tiny penalty: all losses have next to vanished at the minimum",
    320: "one example outweighs all others, and is 0 in a sparse column",
    327: "the same with features of 0 and 1 and offsets",
    350: "a huge row: what rounding left of the zeros in a rotated column was taken for its size",
    543: "no intercept, but a column of one value, beside offsets that leave few digits",
    566: "the same with many columns",
    706: "a sparse column whose offset hides that one of its entries lies far from the others",
    829: "a huge row and a column that is there twice",
    898: "no intercept, but a column of one value, beside columns of size 1e-11",
    924: "a huge row in most columns, and an example of next to no weight",
}


@pytest.mark.parametrize("seed", sorted({*range(N_MIXTURES), *ONCE_WRONG}))
def test_right_or_warned(seed):
    problem = mixed_problem(seed)
    found = {f"{model.name}-{model.penalty}": wrong_in_silence(problem, model, ("dense", "sparse")) for model in MODELS}
    assert not any(found.values()), found
