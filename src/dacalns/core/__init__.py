"""Compiled kernels: arrays in, arrays changed in place.

Everything here is Python that Numba compiles. Kernels take plain arrays and scalars, or the two named tuples of
:mod:`dacalns.core.model`; none of them knows of files, names or displays.
"""
