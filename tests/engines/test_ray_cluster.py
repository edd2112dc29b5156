"""Studies and trainings on a real Ray head with a second node, which is killed in the middle."""

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

import dacalns
from dacalns.engines import Processes, RayCluster, WorkerDied
from dacalns.study.load_protocol import load_protocol
from dacalns.study.runner import run_study
from dacalns.study.store import Store

ray = pytest.importorskip("ray", reason="Ray is not installed; run: make ray")
pytestmark = [pytest.mark.slow_without_jit, pytest.mark.filterwarnings("ignore")]  # Ray has many of its own

PROTOCOL = """
seeds = [0, 100, 200, 300]
[budgets.iterations]
iterations = 3000
[groups.g]
instances = ["P-n16-k8", "P-n19-k2", "R101-n25-s1"]
[methods.ALNS]
selector = "roulette"
[methods.DAC]
selector = "dac"
"""
TIMES = {"wall_seconds": None, "cpu_seconds": None, "finished": "", "history": []}
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    yield cluster
    cluster.shutdown()
    for number, handler in handlers.items():
        signal.signal(number, handler)


def test_calls_are_answered_and_failures_told(cluster):
    with RayCluster(cluster.address) as engine:
        assert engine.slots >= 1
        assert engine.submit(pow, 2, 5).result() == 32
        with pytest.raises(ValueError, match="so it goes"):
            engine.submit(int, "so it goes").result()
        with pytest.raises(WorkerDied, match="Ray gave it up"):
            engine.submit(os._exit, 3).result()


def test_a_node_killed_in_mid_study_loses_no_row(cluster, tmp_path):
    (tmp_path / "p.toml").write_text(PROTOCOL)
    protocol = load_protocol(tmp_path / "p.toml")
    node = cluster.add_node(**NODE)
    killed = []

    def kill(standing):
        if standing.done >= 4 and not killed:
            cluster.remove_node(node, allow_graceful=False)
            killed.append(standing.left)

    summary = run_study(protocol, tmp_path / "ray", RayCluster(cluster.address), on_progress=kill)
    assert killed
    assert killed[0] > 0
    assert (summary.done, summary.failed) == (24, ())
    run_study(protocol, tmp_path / "local", Processes(2))
    studies = []
    for folder in ("ray", "local"):
        with Store(tmp_path / folder) as store:
            (study,) = store.studies()
            assert len(study.rows) == 24
            studies.append({key: replace(row, **TIMES) for key, row in study.rows.items()})
    assert studies[0] == studies[1]


def test_a_training_on_a_cluster_is_the_same(cluster, tmp_path):
    options = {"steps": 200, "episodes": 4, "validation_instances": 0}
    dacalns.train("cvrp", "P-n16-k8", out=tmp_path / "ray.safetensors", engine=RayCluster(cluster.address), **options)
    dacalns.train("cvrp", "P-n16-k8", out=tmp_path / "here.safetensors", jobs=1, **options)
    there, here = (dacalns.load_checkpoint(tmp_path / f"{name}.safetensors")[0] for name in ("ray", "here"))
    assert there.keys() == here.keys()
    for name in there:
        np.testing.assert_array_equal(there[name], here[name])


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:99999"])
def test_an_address_without_a_cluster_is_told(address):
    with pytest.raises(dacalns.InputError, match=f"ray address '{address}' cannot be reached .*ray start --head"):
        RayCluster(address).__enter__()
