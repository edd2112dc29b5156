"""Where training instances come from."""

import pytest

import dacalns
from dacalns.learning.sources import Generated, Listed, as_source


@pytest.mark.parametrize("problem", ["cvrp", "vrptw"])
def test_generated_instances_are_of_the_problem_and_size_and_never_change(problem):
    source = as_source(problem, "generated:5-9", seed=3)
    assert str(source) == "generated:5-9"
    instances = [source.instance(number) for number in range(30)]
    assert {instance.problem for instance in instances} == {problem}
    assert {instance.customers for instance in instances} == {5, 6, 7, 8, 9}
    assert [source.customers(number) for number in range(30)] == [instance.customers for instance in instances]
    again = as_source(problem, "generated:5-9", seed=3).instance(7)
    assert (again.coordinates == instances[7].coordinates).all()
    other = as_source(problem, "generated:5-9", seed=4).instance(7)
    assert other.coordinates.shape != again.coordinates.shape or (other.coordinates != again.coordinates).any()


def test_the_usual_sizes_are_small_and_medium_of_the_paper():
    assert as_source("cvrp", "generated", 0) == Generated("cvrp", 20, 59, 0)


def test_a_set_is_gone_through_again_and_again():
    source = as_source("cvrp", "cvrp-small", 0)
    names = dacalns.instance_names("cvrp-small")
    assert [source.instance(number).name for number in range(len(names) + 1)] == [*names, names[0]]
    assert source.customers(len(names)) == source.instance(0).customers


def test_files_with_commas_between(tmp_path):
    for seed in (1, 2):
        dacalns.write_instance(dacalns.generate_cvrp(5, seed=seed), tmp_path / f"{seed}.vrp")
    text = f"{tmp_path}/1.vrp, {tmp_path}/2.vrp"
    source = as_source("cvrp", text, 0)
    assert isinstance(source, Listed)
    assert source.members == (f"{tmp_path}/1.vrp", f"{tmp_path}/2.vrp")
    assert str(source) == text
    assert source.instance(2).coordinates.tolist() == source.instance(0).coordinates.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("generated:1-5", "2 to 100000 customers"),
        ("generated:9-5", "FEWEST-MOST"),
        ("generated:ten", "FEWEST-MOST"),
        ("generated:5-9:middle", "sort of the instances is 'middle'"),
        (" , ", "expected generated, a set"),
        ("no-such-set", "no-such-set"),
        ("vrptw-small", "not a cvrp"),
        ("A-n32-k5,R101", "R101, which is not a cvrp"),
    ],
)
def test_what_makes_no_sense_is_told(text, message):
    with pytest.raises(dacalns.InputError, match=message):
        as_source("cvrp", text, 0)


@pytest.mark.parametrize("problem", ["rich", "pairs+windows,prizes"])
def test_rich_instances_are_of_the_sets_and_never_change(problem):
    source = as_source(problem, "generated:6-9", seed=3)
    assert source == as_source(problem, "generated:6-9", seed=3)
    instances = [source.instance(number) for number in range(30)]
    assert {instance.customers for instance in instances} == {6, 7, 8, 9}
    assert [source.customers(number) for number in range(30)] == [instance.customers for instance in instances]
    found = {frozenset(instance.features) for instance in instances}
    if problem == "rich":
        assert len(found) > 20
    else:
        assert found == {frozenset({"pairs", "windows"}), frozenset({"prizes"})}
    assert source.instance(7) == instances[7]
    assert as_source(problem, "generated:6-9", seed=4).instance(7) != instances[7]


def test_sets_in_another_order_are_the_same_source():
    one, other = (as_source(name, "generated", 0) for name in ("prizes,windows+pairs", "pairs+windows, prizes"))
    assert one == other
    assert one.problem == "pairs+windows,prizes"


def test_rich_instances_by_name_and_from_files(tmp_path):
    path = tmp_path / "mine.vrp"
    dacalns.write_instance(dacalns.generate_rich(7, {"depots", "windows"}, 1), path)
    text = f"generated-prizes-n8-s1,{path}"
    for problem in ("rich", "depots+windows,prizes"):
        source = as_source(problem, text, 0)
        assert source.problem == "depots+vehicle-types+windows,prizes"
        assert [source.instance(number).customers for number in range(3)] == [8, 7, 8]


@pytest.mark.parametrize(
    ("problem", "text", "message"),
    [
        ("rich", "generated:5-9", "expected at least 6 for rich"),
        ("rich", "generated:6-9:short", "expected no 'short' for rich, as CVRP and VRPTW alone are generated so"),
        ("prizes", "generated:6-9:middle", "sort of the instances is 'middle'"),
        ("rich", "generated-prizes-n8-s1,A-n32-k5", "has 'A-n32-k5', a cvrp; expected problems beyond CVRP and VRPTW"),
        ("prizes", "generated-prizes-n8-s1,generated-pairs-n8-s1", "pairs-n8-s1, which is a vrp with pairs, not prize"),
        ("prizes", "vrptw-small", "which is a vrptw, not prizes; expected instances of one problem"),
        ("cvrp", "generated-prizes-n8-s1", "which is not a cvrp"),
        ("pears", "generated", "did you mean 'pairs'"),
    ],
)
def test_rich_instances_that_make_no_sense(problem, text, message):
    with pytest.raises(dacalns.InputError, match=message):
        as_source(problem, text, 0)


def test_routes_of_one_sort_only():
    def customers_a_route(source):
        instances = [source.instance(number) for number in range(20)]
        return [each.capacity * each.customers / each.demands.sum() for each in instances]

    short, long = (as_source("cvrp", f"generated:40-60:{sort}", 0) for sort in ("short", "long"))
    assert max(customers_a_route(short)) < 10 < min(customers_a_route(long))


def test_one_horizon_only():
    source = as_source("vrptw", "generated:5-9:long", seed=3)
    assert str(source) == "generated:5-9:long"
    both = as_source("vrptw", "generated:5-9", seed=3)
    horizons = [both.instance(number).windows[0, 1] for number in range(20)]
    assert len(set(horizons)) == 2
    assert {source.instance(number).windows[0, 1] for number in range(20)} == {max(horizons)}
    with pytest.raises(dacalns.InputError, match="did you mean 'short'"):
        as_source("vrptw", "generated:5-9:shrt", seed=3)
