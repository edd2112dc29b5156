"""What an instance file says, before rounding and fleet rule make an instance of it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ParsedFile:
    """The content of an instance file in file units, node 0 the depot; the fields are those of `Instance`."""

    name: str
    demands: FloatArray
    capacity: float
    service: FloatArray
    coordinates: FloatArray | None = None
    matrix: FloatArray | None = None
    windows: FloatArray | None = None
    vehicles: int | None = None
    comment: str = ""
