import pytest

pytestmark = pytest.mark.slow_without_jit

BAD = """
class Bad:
    def select_destroy(self, state): raise RuntimeError("out of luck")
    def select_repair(self, destroyed, destroy): return 0
    def update(self, outcome): pass
"""


def test_a_study_with_failed_runs_says_so_and_ends_with_1(dac_alns, protocol, tmp_path):
    (tmp_path / "mine.py").write_text(BAD)
    loaded = protocol(protocol().text + '[methods.Bad]\nselector = "mine.py:Bad"\n')
    code, out, _ = dac_alns("run", loaded.file, "--out", tmp_path / "study", "--jobs", 1)
    assert code == 1
    assert "8 of 12 runs done" in out
    assert "4 failed" in out
    assert "failed: Bad on P-n19-k2, seed 0:" in out
    assert "out of luck" in out
    assert dac_alns("report", tmp_path / "study", "--format", "csv")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "quick", "--out", "x", "--engine", "ray", "--jobs", "3"), "jobs is 3 with engine ray"),
        (("run", "quick", "--out", "x", "--ray-address", "a:1"), "ray address is 'a:1' with engine local"),
        (("run", "quick", "--out", "x", "--jobs", "0"), "jobs is 0"),
        (("show", "quik"), "did you mean 'quick'?"),
        (("report", "nowhere"), "there is no study.sqlite in it"),
    ],
)
def test_bad_input_is_one_sentence(dac_alns, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    if "ray" in words:
        pytest.importorskip("ray")
    code, out, err = dac_alns(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
