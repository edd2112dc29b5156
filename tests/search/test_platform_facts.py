"""Results say what computed them."""

import numba

import dacalns
from dacalns.search.result import platform_facts


def test_in_every_result() -> None:
    result = dacalns.solve("A-n32-k5", portfolio="paper", selector="roulette", stop=dacalns.MaxIterations(5))
    assert result.settings["platform"] == platform_facts()
    assert dacalns.Result.from_json(result.to_json()).settings["platform"]["numba"] == numba.__version__


def test_all_is_known_and_nobody_can_change_it() -> None:
    facts = platform_facts()
    assert all(facts.values())
    facts["numba"] = "another"
    assert platform_facts()["numba"] == numba.__version__
