"""Compare costs with pyvroom on generated problems in VROOM's JSON, at equal time and on one thread.

    python benchmarks/vroom_answers.py [--problems 20] [--time 5]

Needs pyvroom (`pip install pyvroom`); without it, the script says so and ends. Both get each problem as the same file.
Tasks that are left out count first, as they do for VROOM, then costs.
"""

import argparse
import json
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from random import Random

import dacalns

KINDS = ("capacity", "windows", "shipments", "mixed")


def problem(number: int) -> dict[str, object]:
    """Return one of the problems: loads, windows, shipments or all of it with two kinds of vehicles and skills."""
    random, kind = Random(number), KINDS[number % len(KINDS)]
    tasks = random.choice((40, 60, 80, 100))
    points = [(random.uniform(0, 5000), random.uniform(0, 5000)) for _ in range(tasks + 1)]
    durations = [[round(((a - c) ** 2 + (b - d) ** 2) ** 0.5) for c, d in points] for a, b in points]
    windows = kind in ("windows", "mixed")

    def window() -> list[list[int]]:
        opens = random.randrange(0, 20000)
        return [[opens, opens + random.randrange(3000, 9000)]]

    jobs, shipments = [], []
    place = 1
    while place <= tasks:
        shared = {"skills": [1]} if kind == "mixed" and random.random() < 0.2 else {}
        if kind in ("shipments", "mixed") and place < tasks and random.random() < 0.6:
            steps = [{"id": place + at, "location_index": place + at, "service": 120} for at in (0, 1)]
            if windows:
                steps[1]["time_windows"] = window()
            shipments.append({"pickup": steps[0], "delivery": steps[1], "amount": [random.randint(1, 8)], **shared})
            place += 2
        else:
            job = {"id": place, "location_index": place, "service": 180, "delivery": [random.randint(1, 8)], **shared}
            jobs.append(job | ({"time_windows": window()} if windows and random.random() < 0.7 else {}))
            place += 1
    total = sum(job["delivery"][0] for job in jobs)
    count = max(4, total // 20 + 2, tasks // 8)
    vehicles = [
        {
            "id": number, "start_index": 0, "end_index": 0, "capacity": [30 if number % 2 else 45],
            "time_window": [0, 30000], **({"skills": [1]} if number % 2 else {}),
        }
        for number in range(1, count + 1)
    ]  # fmt: skip
    return {"vehicles": vehicles, "jobs": jobs, "shipments": shipments, "matrices": {"car": {"durations": durations}}}


def main() -> None:
    """Print a line for each problem, and the mean gap."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=20)
    parser.add_argument("--time", type=float, default=5.0, help="seconds for each")
    given = parser.parse_args()
    try:
        import vroom
    except ImportError:
        print("pyvroom is not installed; install it: pip install pyvroom")
        return
    gaps = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.problems):
            file = Path(folder) / f"{number}.json"
            file.write_text(json.dumps(problem(number)))
            begun = time.perf_counter()
            theirs = vroom.Input.from_json(file).solve(
                exploration_level=5, nb_threads=1, timeout=timedelta(seconds=given.time)
            )
            seconds = time.perf_counter() - begun
            other = theirs.to_dict()["summary"]
            ours = dacalns.read_vroom(file)
            result = dacalns.solve(ours.instance, stop=given.time, seed=1)
            mine = dacalns.to_vroom(ours, result)["summary"]
            gap = 100 * (mine["cost"] / other["cost"] - 1)
            same = mine["unassigned"] == other["unassigned"]
            gaps += [gap] if same else []
            print(
                f"{number:2} {KINDS[number % len(KINDS)]:10} {ours.instance.customers:4} tasks  "
                f"vroom {other['cost']:7} ({other['unassigned']} left out, {seconds:.1f} s)  "
                f"ours {mine['cost']:7} ({mine['unassigned']})  {f'{gap:+.2f} %' if same else ''}",
                flush=True,
            )
    print(f"mean over {len(gaps)} problems with as many tasks left out: {sum(gaps) / max(len(gaps), 1):+.2f} %")


if __name__ == "__main__":
    main()
