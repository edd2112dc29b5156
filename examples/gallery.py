"""The pictures of the gallery in the documentation; `python gallery.py FOLDER` draws them."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import dacalns
from dacalns.report import plot_convergence, plot_operators, plot_probabilities, plot_routes
from dacalns.search.checker import route_plans

STOP = dacalns.MaxIterations(5000)


def clusters():
    """Routes between clusters: a VRPTW of Solomon's."""
    figure, axes = plt.subplots(figsize=(7, 6.5))
    plot_routes(dacalns.read("C101"), dacalns.solve("C101", stop=STOP, seed=1), axes)
    return figure


def many_customers():
    """Five hundred customers."""
    town = dacalns.generate_cvrp(500, "central", "mixed", "1-10", 14, seed=4)
    figure, axes = plt.subplots(figsize=(7, 6.5))
    plot_routes(town, dacalns.solve(town, stop=STOP, seed=1), axes)
    return figure


def vehicle_types():
    """Two depots and two vehicle types, told by markers."""
    model = dacalns.Model("two depots")
    north, south = model.add_depot(0, 30, name="north"), model.add_depot(5, -30, name="south")
    rng = np.random.default_rng(5)
    for x, y in rng.uniform(-45, 45, (40, 2)).round(1):
        model.add_customer(x, y, delivery=int(rng.integers(1, 5)))
    model.add_vehicle_type(3, 24, start_depot=north, end_depot=north, fixed_cost=30, name="van")
    model.add_vehicle_type(
        2, 60, start_depot=south, end_depot=south, fixed_cost=60, unit_distance_cost=1.3, name="lorry"
    )
    instance = model.instance(rounding="exact")
    figure, axes = plt.subplots(figsize=(7, 6.5))
    plot_routes(instance, dacalns.solve(instance, stop=STOP, seed=1), axes)
    return figure


def timetable():
    """What one vehicle of R201 does all day, beside the windows of its customers."""
    instance = dacalns.read("R201")
    result = dacalns.solve(instance, stop=STOP, seed=1)
    (plan,) = route_plans(instance, [max(result.routes, key=len)], [0])
    figure, axes = plt.subplots(figsize=(8, 5))
    stops = plan.stops[1:-1]
    for row, stop in enumerate(stops):
        opens, closes = instance.windows[stop.node]
        axes.barh(row, closes - opens, left=opens, color="0.88")
        axes.hlines(row, stop.arrival, stop.start, color="#D55E00")
        axes.barh(row, stop.departure - stop.start, left=stop.start, color="#0072B2")
    axes.set_yticks(range(len(stops)), [f"customer {stop.node}" for stop in stops], fontsize=7)
    axes.invert_yaxis()
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    axes.set(xlabel="time", title="one route of R201: window (grey), wait (line) and service (bar)")
    return figure


def convergence():
    """The best cost over time."""
    figure, axes = plt.subplots(figsize=(7, 4.5))
    plot_convergence(dacalns.solve("A-n80-k10", stop=dacalns.MaxIterations(30_000), seed=3), axes)
    return figure


def operators():
    """What each pair of operators was used for."""
    figure, axes = plt.subplots(figsize=(8, 4.5))
    plot_operators(dacalns.solve("R101", stop=STOP, seed=1), axes)
    return figure


def choices():
    """How probable a learning policy made each operator."""
    figure, axes = plt.subplots(figsize=(8, 4.5))
    plot_probabilities(dacalns.solve("A-n45-k7", selector="dac:improved", portfolio="paper", stop=STOP, seed=1), axes)
    return figure


def selectors():
    """Three selectors with the paper's operators, ten seeds each."""
    figure, axes = plt.subplots(figsize=(7, 3.6))
    names = ["dac-t", "roulette", "random"]
    for row, name in enumerate(names):
        stop = dacalns.MaxIterations(2000)
        runs = [dacalns.solve("A-n60-k9", selector=name, portfolio="paper", stop=stop, seed=seed) for seed in range(10)]
        axes.plot([run.gap_percent for run in runs], [row] * 10, "o", alpha=0.6)
    axes.set_yticks(range(3), names)
    axes.set(xlabel="gap to the best-known cost of A-n60-k9, %", ylim=(-0.5, 2.5))
    return figure


PICTURES = (clusters, many_customers, vehicle_types, timetable, convergence, operators, choices, selectors)


def draw(folder):
    """Draw all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    matplotlib.rcParams["svg.hashsalt"] = "dac-alns"
    for picture in PICTURES:
        figure = picture()
        figure.savefig(folder / f"{picture.__name__}.svg", bbox_inches="tight", metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "gallery"))
    print(f"{len(PICTURES)} pictures of feasible plans")
