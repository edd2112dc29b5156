"""The running mean of the parameters over the rounds."""

import numpy as np
import numpy.typing as npt

# With 3, the second half of the rounds has 15/16 of the weight.
DECAY = 3


def averaged(
    average: npt.NDArray[np.float64], parameters: npt.NDArray[np.float32], rounds: int
) -> npt.NDArray[np.float64]:
    """The mean after round number ``rounds``, from 1, from the mean before it.

    Averaging with polynomial decay (Shamir and Zhang 2013): a round moves the mean to its parameters by
    (DECAY + 1) / (rounds + DECAY). What came early is forgotten, however many rounds there will be.
    """
    return average + (parameters - average) * ((DECAY + 1) / (rounds + DECAY))
