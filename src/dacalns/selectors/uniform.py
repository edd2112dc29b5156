"""Uniform random choice."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core import selection as kernels


@dataclass(frozen=True)
class UniformRandom:
    """Every operator equally likely, whatever happened before."""

    name = "random"

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled selector."""
        return kernels.uniform_destroy, kernels.uniform_repair, kernels.forget

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """How many operators there are."""
        return np.array([[float(destroys), float(repairs)]])
