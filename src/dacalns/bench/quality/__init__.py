"""Solution quality of several solvers at equal time, side by side: ``dac-alns bench-quality``.

The runs are done, stored and counted by the runner, the store and the statistics of `dacalns.study`.
"""
