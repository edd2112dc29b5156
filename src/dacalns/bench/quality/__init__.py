"""The comparison of solvers by solution quality at equal time, which is the command ``dac-alns bench-quality``.

The runs are done, stored and counted by the runner, the store and the statistics of `dacalns.study`.
"""
