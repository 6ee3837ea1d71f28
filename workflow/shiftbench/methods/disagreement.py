"""Labels that the robust model contradicts by its held-out scores."""

from shiftlr.methods._many_classes import margins_of

from shiftbench.methods._held_out import HeldOutFinder


class Disagreement(HeldOutFinder):
    """Names each label that is not the class with the largest score; the further it is behind, the more suspicious.

    Parameters
    ----------
    All : as in `HeldOutFinder`
    """

    def _judge(self, found, codes):
        suspicion = -margins_of(found.scores_, codes)
        return suspicion, suspicion > 0.0
