"""Verdicts on the set of suspects that comes out most often."""

import numpy as np
import pandas as pd
from made_up_runs import both, runs_of
from shiftbench.verdicts.judge import judge

ABOUT = {"id": "one", "place": "Table 2", "table": "t", "row": "r", "column": "c", "claim": "", "note": ""}
STATED = {"relation": "=", "value": 7.0, "se": np.nan, "better": "higher", "margin": np.nan, "data": "report"}
PUBLISHED = pd.DataFrame([ABOUT | STATED | {"ours": "a.s:x:commonest(suspects_hit)"}])


def test_the_commonest_set_is_what_counts():
    values = [7.0, 5.0, 7.0, 7.0, 6.0]
    masks = [[1, 1], [0, 1], [1, 0], [1, 1], [0, 1]]
    arrays = {f"a/s/x/{r}/suspected": np.array(mask, dtype=bool) for r, mask in enumerate(masks)}
    runs = both(
        runs_of({"a.s:x": values}, "suspects_hit"), runs_of({"a.s:x": [1.0, 0.0, 0.0, 1.0, 0.0]}, "as_published")
    )._replace(arrays=arrays)
    judged = judge(PUBLISHED.assign(note="in {a.s:x:as_published} of them"), runs)[0].loc[0]
    assert judged["ours"] == 7.0 and judged["verdict"] == "reproduced" and judged["note"] == "in 40 % of them"
    assert judged["replicates"] == 5 and np.isnan(judged["z"])
    fewer = runs._replace(arrays={key: mask for key, mask in arrays.items() if not key.startswith("a/s/x/0")})
    assert judge(PUBLISHED, fewer)[0].loc[0, "verdict"] == "worse"  # now [0, 1] is the commonest: its count is 5
    assert judge(PUBLISHED, runs._replace(arrays={}))[0].loc[0, "verdict"] == "not_comparable"
    assert judge(PUBLISHED.assign(note="{a.s:x:nothing}"), runs)[0].loc[0, "note"] == ""
