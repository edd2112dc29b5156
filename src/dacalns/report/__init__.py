"""Pictures of instances and results; Matplotlib is imported only when one is drawn.

>>> import dacalns
>>> from dacalns.report import save_picture
>>> instance = dacalns.read("A-n32-k5")
>>> result = dacalns.solve(instance, stop=dacalns.MaxIterations(500))
>>> save_picture(instance, result, "A-n32-k5.png")  # doctest: +SKIP
"""

from dacalns.report.convergence import plot_convergence
from dacalns.report.explanation import plot_explanation, plot_probabilities, save_explanation
from dacalns.report.figure import require_plotting
from dacalns.report.operators import plot_operators
from dacalns.report.picture import plot, save_picture
from dacalns.report.routes import plot_routes

__all__ = [
    "plot",
    "plot_convergence",
    "plot_explanation",
    "plot_operators",
    "plot_probabilities",
    "plot_routes",
    "require_plotting",
    "save_explanation",
    "save_picture",
]
