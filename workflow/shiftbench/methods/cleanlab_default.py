"""What cleanlab calls label issues by default, by held-out probabilities of the robust model."""

from scipy.special import softmax

from shiftbench.methods._held_out import HeldOutFinder


class CleanlabDefault(HeldOutFinder):
    """cleanlab's `find_label_issues` with its defaults, on the scores that `label_errors` judges.

    Parameters
    ----------
    All : as in `HeldOutFinder`
    """

    _FILTER = "prune_by_noise_rate"

    def _judge(self, found, codes):
        from cleanlab.filter import find_label_issues
        from cleanlab.rank import get_label_quality_scores

        chances = softmax(found.scores_, axis=1)
        issues = find_label_issues(codes, chances, filter_by=self._FILTER, n_jobs=1)
        return 1.0 - get_label_quality_scores(codes, chances), issues
