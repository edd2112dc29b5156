import re

import pytest

import dacalns
from dacalns.learning.blueprint import blueprint
from dacalns.learning.options import TrainingOptions
from dacalns.study.load_protocol import load_protocol, protocol_names

START = """\
[groups.g]
instances = ["P-n16-k8"]
[methods.ALNS]
selector = "roulette"
"""


@pytest.mark.parametrize("name", protocol_names())
def test_protocols_of_the_package_can_be_loaded(name):
    protocol = load_protocol(name)
    assert protocol.name == name
    assert str(protocol.runs) in protocol.in_words().replace(",", "")


def test_the_comparative_study_is_the_papers():
    protocol = load_protocol("comparative")
    assert protocol.runs == 108 * 4 * 10
    assert protocol.seeds == tuple(range(0, 1000, 100))
    # The paper's three, and the plainest explanation of what they gain.
    selectors = [method.selector for method in protocol.methods.values()]
    assert selectors == ["roulette", "ac", "dac", "weights:1,0/0,0,1"]
    for group in protocol.groups.values():
        assert group.instances == tuple(dacalns.instance_names(group.name.replace(" ", "-")))


def test_the_generalisation_study_tests_on_nothing_that_it_trains_on():
    protocol = load_protocol("generalisation")
    for group in protocol.groups.values():
        trained = protocol.trainings[group.policy].options["instances"].split(",")
        assert not set(trained) & set(group.instances)
        stratum = dacalns.instance_names(f"{group.dataset}-medium".casefold())
        if group.scale == "In-dist.":
            assert sorted(group.instances + tuple(trained)) == sorted(stratum)
            assert group.instances == tuple(stratum[2::3])
        else:
            family = r"A-" if group.dataset == "CVRP" else r"R\d"
            large = dacalns.instance_names(f"{group.dataset}-large".casefold())
            assert group.instances == tuple(name for name in large if re.match(family, name))
            small = dacalns.instance_names(f"{group.dataset}-small".casefold())
            assert trained == [name for name in [*small, *stratum] if re.match(family, name)]


def test_every_scenario_of_the_generalisation_study_is_trained_five_times():
    protocol = load_protocol("generalisation")
    assert [training.seeds for training in protocol.trainings.values()] == [(0, 1, 2, 3, 4)] * 4
    # ALNS, DAC, the policy of the package and one pair of operators once, each of five policies once.
    assert protocol.runs == 28 * 10 * (4 + 5)
    assert {method.name for method in protocol.methods.values() if method.needs_policy} == {"DAC-T"}


@pytest.mark.parametrize("name", ["comparative", "generalisation", "extended", "quick"])
def test_the_plainest_explanation_stands_beside_every_table(name):
    protocol = load_protocol(name)
    assert protocol.methods["Random and regret"].settings.selector.name == "weights:1,0/0,0,1"
    assert ("Random and regret", "ALNS") in protocol.comparisons


def test_the_extended_study_has_other_readings_and_a_tuned_wheel():
    protocol = load_protocol("extended")
    options = {name: method.settings.options() for name, method in protocol.methods.items()}
    targets = {name: options[name]["selector"].learning.target for name in options if name.startswith("DAC")
               and name != "DAC-T bundled"}  # fmt: skip
    assert (targets["DAC"], targets["DAC one-step"]) == ("two-step", "one-step")
    assert (targets["DAC joint"], targets["DAC independent"]) == ("joint", "independent")
    assert options["AC one-step"]["selector"].learning.target == "one-step"
    assert options["DAC scales"]["portfolio"] == "paper:scales"
    assert options["ALNS tuned"]["selector"] == dacalns.Roulette.preset("tuned") != dacalns.Roulette()
    assert [*protocol.budgets] == ["iterations", "time"]
    assert all(method.budgets is None for method in protocol.methods.values())
    assert {first for first, second in protocol.comparisons if second == "ALNS"} == {*options} - {"ALNS"}


def test_the_study_of_acceptance_changes_nothing_but_the_acceptance():
    protocol = load_protocol("acceptance")
    assert protocol.seeds == tuple(range(0, 1000, 100))
    assert sum(len(group.instances) for group in protocol.groups.values()) == 108
    options = {name: method.settings.options() for name, method in protocol.methods.items()}
    names = ("calibrated", "ropke-pisinger", "threshold", "version-0.1")
    selectors = {}
    for name, given in options.items():
        method, acceptance = name.split(", ")
        assert given["acceptance"] == dacalns.ACCEPTANCES[acceptance]
        selectors.setdefault(method, {})[acceptance] = given["selector"]
    for method in ("ALNS", "ALNS tuned", "ALNS quick", "Random and regret", "AC", "DAC"):
        assert tuple(selectors[method]) == names
        assert all(each == selectors[method]["calibrated"] for each in selectors[method].values())
    assert selectors["DAC joint"]["calibrated"].learning.target == "joint"
    assert selectors["DAC one-step"]["calibrated"].learning.target == "one-step"
    assert len(options) == 4 * 6 + 2
    for first, second in protocol.comparisons:
        assert first.split(", ")[1] == second.split(", ")[1]
    assert len(protocol.comparisons) == 4 * 5 + 2


def test_a_training_may_have_several_seeds(protocol):
    text = (
        'seeds = [0, 1]\n[groups.g]\ninstances = ["P-n16-k8"]\npolicy = "t"\n[methods.M]\nselector = "dac-t:{policy}"\n'
        '[methods.B]\nselector = "dac-t"\n[trainings.t]\nproblem = "cvrp"\nsteps = 10\ninstances = ["P-n19-k2"]\n'
    )
    for line, seeds in (("", (0,)), ("seed = 7\n", (7,)), ("seeds = [3, 1, 2]\n", (3, 1, 2))):
        loaded = protocol(text + line)
        assert loaded.trainings["t"].seeds == seeds
        assert [options["seed"] for options in loaded.trainings["t"].each().values()] == [*seeds]
        assert loaded.runs == 2 * (len(seeds) + 1)
    assert "training t: problem cvrp, steps 10, portfolio paper, seeds 3, 1, 2" in loaded.in_words()


def test_a_study_says_with_which_operators_it_searches(protocol):
    usual = "portfolio: paper, the paper's operators, which studies compare selectors with; dac-alns solve uses full"
    assert usual in protocol(START).in_words().splitlines()
    assert "portfolio: full" in protocol('portfolio = "full"\n' + START).in_words().splitlines()


def test_a_policy_is_trained_for_the_operators_of_the_study(protocol, tmp_path):
    text = (
        '[groups.g]\ninstances = ["P-n16-k8"]\npolicy = "t"\n[methods.M]\nselector = "dac-t:{policy}"\n'
        '[trainings.t]\nproblem = "cvrp"\nsteps = 10\n'
    )
    assert protocol(text).trainings["t"].options["portfolio"] == "paper"
    assert protocol('portfolio = "full"\n' + text).trainings["t"].options["portfolio"] == "full"
    assert protocol(text + 'portfolio = "full"\n').trainings["t"].options["portfolio"] == "full"
    (tmp_path / "s.toml").write_text('[search]\nportfolio = "paper:ratio"\n')
    assert "portfolio" not in protocol(text + f'settings = "{tmp_path / "s.toml"}"\n').trainings["t"].options


@pytest.mark.parametrize("name", protocol_names())
def test_trainings_of_the_papers_studies_are_the_papers(name):
    for training in load_protocol(name).trainings.values():
        made = blueprint(TrainingOptions(**training.options))
        assert (made.plan.method, made.preset, made.plan.portfolio.name) == ("online", "paper", "paper")


def test_what_is_left_out_has_defaults(protocol):
    loaded = protocol(START)
    assert loaded.title == "small"
    assert loaded.seeds == (0,)
    assert loaded.budgets["iterations"].in_words == "max(2000, 50 n) iterations"
    assert loaded.groups["g"].dataset == "g"
    assert loaded.comparisons == ()


def test_by_default_all_are_compared_with_the_first(protocol):
    loaded = protocol(START + '[methods.A]\nselector = "random"\n[methods.B]\nselector = "ucb"\n')
    assert loaded.comparisons == (("A", "ALNS"), ("B", "ALNS"))


def test_methods_have_settings(protocol):
    loaded = protocol(
        START + '[methods.Mine]\nportfolio = "paper"\n[methods.Mine.selector]\nname = "dac"\npreset = "improved"\n'
        '[methods.Mine.learning]\nrate = 0.01\n[methods.Mine.acceptance]\ntype = "HillClimbing"\n'
    )
    options = loaded.methods["Mine"].settings.options()
    assert options["selector"].learning.rate == 0.01
    assert options["selector"].rewards == dacalns.DualActorCritic.preset("improved").rewards
    assert isinstance(options["acceptance"], dacalns.HillClimbing)


def test_files_are_looked_for_beside_the_protocol(protocol, tmp_path, monkeypatch):
    dacalns.write_instance(dacalns.read("P-n16-k8"), tmp_path / "one.vrp")
    (tmp_path / "mine.py").write_text("raise RuntimeError('not to be run yet')")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    loaded = protocol('[groups.g]\ninstances = ["o*.vrp"]\n[methods.M]\nselector = "mine.py:Mine"\n')
    assert loaded.groups["g"].instances == (str(tmp_path / "one.vrp"),)
    assert loaded.methods["M"].settings.selector.name == f"{tmp_path / 'mine.py'}:Mine"
    assert loaded.methods["M"].selector == "mine.py:Mine"


def test_a_policy_takes_its_place(protocol):
    loaded = protocol(
        '[groups.g]\ninstances = ["P-n16-k8"]\npolicy = "t"\n[methods.M]\nselector = "dac-t:{policy},hold=3"\n'
        '[trainings.t]\nproblem = "cvrp"\nsteps = 10\ninstances = ["P-n19-k2"]\n'
    )
    method = loaded.methods["M"]
    assert method.needs_policy
    assert method.settings_with("here.safetensors").selector.name == "dac-t:here.safetensors,hold=3"
    assert method.settings.selector.name == "dac-t:hold=3"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("seeds = [0, 0]\n" + START, 1, "seeds is [0, 0]; expected a list of different whole numbers"),
        ("seeds = [-1]\n" + START, 1, "seeds is -1"),
        ("seed = [1]\n" + START, 1, "there is no key 'seed' in a protocol; expected one of"),
        ("title = 3\n" + START, 1, "title is 3; expected text"),
        ('paper = "other"\n' + START, 1, "paper is 'other'; expected one of comparative, generalisation"),
        ('comparisons = [["A", "ALNS"]]\n' + START, 1, "comparisons is 'A'; expected one of ALNS"),
        ('comparisons = ["A"]\n' + START, 1, "expected pairs of methods"),
        (START.replace("P-n16-k8", "P-n16-k9"), 2, "'P-n16-k9' is neither a file nor a bundled instance"),
        (START.replace("P-n16-k8", "*.nothing"), 2, "which no file matches"),
        (START.replace('["P-n16-k8"]', '["P", "P-n16-k8"]'), 2, "has P-n16-k8 twice"),
        (START.replace('["P-n16-k8"]', "[]"), 2, "expected a list of sets, names or files"),
        (START.replace("roulette", "roulete"), 4, "did you mean 'roulette'?"),
        (START + "segment = 3\n", 5, "there is no key 'segment' in method 'ALNS'"),
        (START + '[methods.B]\nselector = "dac"\n[methods.B.learning]\nrat = 1\n', 8, "did you mean 'rate'?"),
        (START + '[methods.B]\nbudgets = ["x"]\n', 6, "budgets is 'x'; expected one of iterations"),
        (START + "[budgets.b]\niterations = 0\n", 6, "iterations is 0"),
        (START + '[budgets.b]\niterations = "all"\n', 6, "expected a whole number or 'paper'"),
        (START + "[budgets.b]\nseconds = -1\n", 6, "seconds is -1"),
        (START + "[budgets.b]\nseconds = 1\niterations = 1\n", 5, "has iterations and seconds; expected one of"),
        (START + "[budgets.b]\n", 5, "none of them"),
        (START + "[budgets.b]\nseconds = 1\nfactor = 2\n", 5, "expected these beside like only"),
        (START + '[budgets.b]\nlike = "ALS"\n', 6, "did you mean 'ALNS'?"),
        (START + '[budgets.b]\nlike = "ALNS"\n', 5, "of is None; expected a budget of iterations or seconds"),
        ("methods = 3\n" + START.replace("[methods.ALNS]\nselector", "# "), 1, "expected tables; write [methods.NAME]"),
        ('[methods.M]\nselector = "random"\n', 1, "there is no table [groups.NAME]"),
        ('[groups.g]\ninstances = "P"\npolicy = "t"\n[methods.M]\n', 3, "policy is 't'; expected one of the trainings"),
        (START + '[methods.M]\nselector = "dac-t:{policy}"\n', 6, "group 'g' has no policy"),
        (START + "[trainings.t]\nsteps = 3\n", 5, "training 't' has no problem"),
        (START + '[trainings.t]\nproblem = "cvrp"\nsteps = 0\n', 7, "steps is 0"),
        (START + '[trainings.t]\nproblem = "tsp"\nsteps = 1\n', 6, "problem is 'tsp'"),
        (START + '[trainings.t]\nproblem = "cvrp"\nsteps = 1\nseeds = [1, 1]\n', 8, "seeds is [1, 1]; expected a list"),
        (START + '[trainings.t]\nproblem = "cvrp"\nsteps = 1\nseeds = 3\n', 8, "seeds is 3; expected a list"),
        (START + '[trainings.t]\nproblem = "cvrp"\nsteps = 1\nseed = 1\nseeds = [2]\n', 9, "has seed and seeds"),
        (START + '[trainings.t]\nproblem = "cvrp"\nsteps = 1\nseed = -1\n', 8, "seed is -1"),
        (START + '[trainings.t]\nproblem = "cvrp"\nsteps = 1\njobs = 2\n', 8, "there is no key 'jobs'"),
        (START + '[trainings.t]\nproblem = "vrptw"\nsteps = 1\ninstances = "P"\n', 8, "is not a vrptw"),
        ("title = \n" + START, 1, "expected TOML"),
    ],
)
def test_mistakes_are_told_with_their_line(protocol, tmp_path, text, line, message):
    with pytest.raises(dacalns.InputError) as caught:
        protocol(text)
    told = str(caught.value)
    assert told.startswith(f"{tmp_path / 'small.toml'}:{line}: ")
    assert message in told


def test_an_unknown_name_is_told():
    with pytest.raises(dacalns.InputError, match="did you mean 'comparative'"):
        load_protocol("comparativ")
    with pytest.raises(dacalns.InputError, match="no such file"):
        load_protocol("nowhere.toml")
