"""``dac-alns solve --explain-unserved``: why customers are not served, and what would help."""

import json
import sys

import pytest

import dacalns
from dacalns import cli

pytestmark = pytest.mark.slow_without_jit

HINT = "; --explain-unserved says what would help.\n"


@pytest.fixture
def dac_alns(monkeypatch, capfd):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["dac-alns", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = capfd.readouterr()
        return exit_.value.code or 0, out, "".join(line for line in err.splitlines(True) if "Compiling" not in line)

    return run


@pytest.fixture
def bakeries(tmp_path):
    model = dacalns.Model("bakeries")
    model.add_depot(0, 0)
    for number in range(7):
        model.add_customer(10 + number, 5, delivery=4)
    model.add_vehicle_type(num_available=3, capacity=10)
    path = tmp_path / "bakeries.json"
    dacalns.write_instance(model.instance(), path)
    return path


def test_what_would_help_is_printed_and_in_the_json(dac_alns, bakeries, tmp_path):
    path = tmp_path / "result.json"
    code, out, err = dac_alns("solve", bakeries, "--iterations", 300, "--explain-unserved", "--json", path)
    assert (code, err) == (1, "")
    at = out.index("  Who is not served, and what would help:\n")
    assert out.index("INFEASIBLE") < at < out.index("  wrote ")
    said = [line.strip() for line in out[at:].splitlines()]
    assert said[2:5] == [
        "main reason: fleet (an empty vehicle could serve, but none is free)",
        "would help: 2 units more capacity (12 instead of 10).",
        "or: 1 vehicle more (4 instead of 3).",
    ]
    [reason] = json.loads(path.read_text())["reasons"]
    assert [each["sentence"] for each in reason["relaxations"]] == [
        "2 units more capacity (12 instead of 10).",
        "1 vehicle more (4 instead of 3).",
    ]
    instance = dacalns.read(bakeries)
    relaxed = dacalns.Result.from_json(path).reasons[reason["customers"][0]].relaxations[0].apply(instance)
    assert (relaxed.capacity, instance.capacity) == (12, 10)


def test_quiet_prints_nothing_and_writes_all_the_same(dac_alns, bakeries, tmp_path):
    path = tmp_path / "result.json"
    code, out, err = dac_alns("solve", bakeries, "--iterations", 300, "--explain-unserved", "--quiet", "--json", path)
    assert (code, out, err) == (1, "", "")
    assert json.loads(path.read_text())["reasons"][0]["relaxations"]
    assert dac_alns("solve", bakeries, "--iterations", 9, "--explain-unserved", "--quiet") == (1, "", "")


def test_standard_output_has_the_json_alone(dac_alns, bakeries):
    code, out, err = dac_alns("solve", bakeries, "--iterations", 300, "--explain-unserved", "--json", "-")
    assert code == 1
    assert json.loads(out)["reasons"][0]["relaxations"]
    assert "would help: 2 units more capacity" in err


def test_without_it_nothing_is_looked_for(dac_alns, bakeries, tmp_path):
    path = tmp_path / "result.json"
    code, out, err = dac_alns("solve", bakeries, "--iterations", 300, "--json", path)
    assert (code, err) == (1, "")
    assert "would help" not in out
    assert json.loads(path.read_text())["reasons"][0]["relaxations"] == []


def test_an_instance_that_is_refused(dac_alns):
    arguments = "solve", "A-n32-k5", "--fleet", 4, "--iterations", 200
    code, out, err = dac_alns(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Error: A-n32-k5 has no feasible solution: The total demand of 410")
    assert err.endswith(f"more than the fleet of 4{HINT}")
    assert len(err.splitlines()) == 1
    code, out, err = dac_alns(*arguments, "--explain-unserved")
    assert code == 2
    assert out.startswith("No solution serves everybody: The total demand of 410 needs 5 vehicles")
    assert "1 vehicle more (5 instead of 4)." in out
    assert err.startswith("Error: A-n32-k5 has no feasible solution")
    assert "--explain-unserved" not in err
    code, out, err = dac_alns(*arguments, "--quiet", "--explain-unserved")
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")


def test_everybody_is_served(dac_alns):
    code, out, err = dac_alns("solve", "A-n32-k5", "--iterations", 300, "--explain-unserved")
    assert (code, err) == (0, "")
    assert "what would help:\n  Everybody is served.\n" in out


def test_what_is_refused_has_its_explanation_as_json_too(dac_alns, bakeries, tmp_path):
    path = tmp_path / "why.json"
    code, out, err = dac_alns("solve", bakeries, "--fleet", 2, "--explain-unserved", "--json", path)
    assert (code, out.splitlines()[-1]) == (2, f"wrote {path}")
    assert err.startswith("Error: bakeries has no feasible solution")
    told = json.loads(path.read_text())
    assert (told["instance"], told["feasible"]) == ("bakeries", False)
    assert told["proofs"]
    assert all(reason["main"] and reason["relaxations"] for reason in told["reasons"])
    code, out, err = dac_alns("solve", bakeries, "--fleet", 2, "--explain-unserved", "--json", "-", "--quiet")
    assert (code, json.loads(out)) == (2, told)
    code, out, err = dac_alns("solve", bakeries, "--fleet", 2, "--explain-unserved", "--json", "-")
    assert (code, json.loads(out)) == (2, told)
    assert err.startswith("No solution serves everybody")
