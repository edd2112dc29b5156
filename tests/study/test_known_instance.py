import dacalns
from dacalns.study.task import known_instance, with_solution_beside


def test_a_solution_beside_the_file_is_a_reference(tmp_path):
    instance = dacalns.generate_cvrp(6, seed=1)
    path = tmp_path / "mine.vrp"
    dacalns.write_instance(instance, path)
    assert known_instance(str(path)).best_known is None
    routes = [[customer] for customer in range(1, 7)]
    dacalns.write_solution(tmp_path / "mine.sol", routes, 1.0)  # the cost is measured, not believed
    known = known_instance(str(path))
    assert known.best_known == dacalns.check(instance, routes).cost
    assert known.best_known_origin == "mine.sol"
    dacalns.write_solution(tmp_path / "mine.sol", routes[1:], 1.0)
    assert known_instance(str(path)).best_known is None


def test_what_is_listed_goes_before():
    assert known_instance("A-n32-k5").best_known == 784


def test_the_lower_of_a_listed_cost_and_a_solution_beside_the_file_is_the_reference(tmp_path):
    listed = dacalns.read("A-n32-k5")
    routes = dacalns.solve(listed, stop=dacalns.MaxIterations(0)).routes
    path = tmp_path / "A-n32-k5.vrp"
    dacalns.write_instance(listed, path)
    dacalns.write_solution(path.with_suffix(".sol"), routes, 1.0)
    known, note = with_solution_beside(listed, path)
    assert (known.best_known, note) == (784, "")
    high = listed.with_(best_known=1e6)
    known, note = with_solution_beside(high, path)
    assert (known.best_known, known.best_known_origin) == (dacalns.check(listed, routes).cost, "A-n32-k5.sol")
