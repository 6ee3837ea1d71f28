"""A fit is right, or it warns: several kinds of hostility at once. `make fuzz` tries many more of them."""

import os

import pytest
from hostile_problems import MODELS, mixed_problem, wrong_in_silence

N_MIXTURES = int(os.environ.get("SHIFTLR_FUZZ", "40"))


@pytest.mark.parametrize("seed", range(N_MIXTURES))
def test_right_or_warned(seed):
    problem = mixed_problem(seed)
    found = {f"{model.name}-{model.penalty}": wrong_in_silence(problem, model, ("dense", "sparse")) for model in MODELS}
    assert not any(found.values()), found
