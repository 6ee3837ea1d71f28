"""What `shiftlr.find_label_errors` finds: its suspicion, its automatic set, and its sets for a given rate of errors."""

import numpy as np

from shiftbench.methods._held_out import HeldOutFinder


class LabelErrorFinder(HeldOutFinder):
    """Names the labels of the automatic set, which maximises the expected F1 by a model of the noise.

    Parameters
    ----------
    All : as in `HeldOutFinder`
    """

    def _judge(self, found, codes):
        suspected = np.zeros(len(codes), dtype=bool)
        suspected[np.asarray(found.table.index, dtype=int)] = True
        return found.suspicion_, suspected

    def suspects(self, **limits):
        """Another cut than the automatic one, such as `fdr=0.1, trusted={row: true label}`; see `LabelErrors`."""
        return self.found_.suspects(**limits)
