"""What cleanlab calls label issues by confident learning, by held-out probabilities of the robust model."""

from shiftbench.methods.cleanlab_default import CleanlabDefault


class CleanlabConfident(CleanlabDefault):
    """cleanlab's `find_label_issues(filter_by="confident_learning")`, on the scores that `label_errors` judges.

    Parameters
    ----------
    All : as in `HeldOutFinder`
    """

    _FILTER = "confident_learning"
