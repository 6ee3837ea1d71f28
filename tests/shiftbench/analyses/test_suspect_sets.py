"""Sets of suspects over replicates: the commonest first, of equally common ones the one that came out first."""

import numpy as np
import pandas as pd
import pytest
from shiftbench.analyses.suspect_sets import suspect_sets
from shiftbench.runs import COLUMNS, Runs

NONE, ONE, TWO = np.array([[0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 1]], dtype=bool)


def sets_of(masks, others=None):
    """The sets of masks by replicate, as plain lists."""
    arrays = {f"e/s/m/{number}/suspected": mask for number, mask in masks.items()} | (others or {})
    found = suspect_sets(Runs(pd.DataFrame(columns=list(COLUMNS)), arrays), "e", "s", "m")
    return [(np.flatnonzero(one.suspected).tolist(), one.replicates) for one in found]


def test_the_commonest_set_is_first():
    assert sets_of({0: ONE, 1: TWO, 2: TWO, 3: NONE}) == [([1, 4], [1, 2]), ([0], [0]), ([], [3])]


def test_of_equally_common_sets_the_one_that_came_out_first_is_first():
    assert sets_of({3: ONE, 1: TWO, 2: ONE, 0: NONE, 4: TWO}) == [([1, 4], [1, 4]), ([0], [2, 3]), ([], [0])]


def test_replicates_are_numbers_not_words():
    """As words, 10 stands before 9."""
    assert sets_of({10: ONE, 9: TWO}) == [([1, 4], [9]), ([0], [10])]


def test_a_method_that_failed_has_no_set():
    assert sets_of({}) == []


@pytest.mark.parametrize("key", ["e/s/m2/0/suspected", "e/s2/m/0/suspected", "e/s/m/1/suspicion", "e2/s/m/1/suspected"])
def test_other_methods_scenarios_and_arrays_do_not_count(key):
    assert sets_of({0: ONE}, {key: TWO}) == [([0], [0])]


def test_masks_that_differ_in_any_place_are_other_sets():
    """Also where bits are packed into bytes."""
    masks = {k: np.arange(62) == k for k in range(62)}
    assert sets_of(masks) == [([k], [k]) for k in range(62)]
