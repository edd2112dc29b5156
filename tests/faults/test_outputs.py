"""Pipes, devices, closed streams and disks that take nothing."""

import os
import resource
import stat
import subprocess
import sys
import threading

import pytest

import dacalns
from faults.command import INSTANCE, complaints, ended, is_solution, started

pytestmark = pytest.mark.slow_without_jit
SOLVE = ("solve", INSTANCE, "--iterations", 200)


def test_output_without_room_costs_no_file(tmp_path):
    sol = tmp_path / "x.sol"
    with open("/dev/full", "w") as full:
        code, _, err = ended(*SOLVE, "--out", sol, stdout=full)
    assert code == 2
    assert err == (
        "Error: standard output cannot be written to (No space left on device); expected one with room; send it "
        "elsewhere.\n"
    )
    assert is_solution(sol)


@pytest.mark.faults
@pytest.mark.parametrize("arguments", [SOLVE, ("--help",), ("instances", "cvrp-large"), ("--version",)])
@pytest.mark.parametrize("reader", ["true", "head -1", "head -c 1"])
def test_a_reader_that_leaves_is_no_failure(arguments, reader):
    line = " ".join([sys.executable, "-m", "dacalns", *map(str, arguments)])
    script = f"{line} | {reader}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert (done.returncode, complaints(done.stderr)) == (0, "")


@pytest.mark.faults
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_failure(tmp_path, closed):
    sol, report = tmp_path / "x.sol", tmp_path / "x.json"
    line = " ".join([sys.executable, "-m", "dacalns", *map(str, SOLVE), "--out", str(sol), "--json", str(report)])
    assert subprocess.run(["bash", "-c", f"{line} {closed}"], capture_output=True).returncode == 0
    assert is_solution(sol)
    assert dacalns.Result.from_json(report).feasible


@pytest.mark.faults
def test_output_in_a_file_keeps_what_stands_before_it(tmp_path):
    path = tmp_path / "all"
    path.write_text("first\n")
    with path.open("a") as file:
        code, _, err = ended("solve", INSTANCE, "--iterations", 200, "--out", "-", stdout=file)
    assert (code, err.partition(":")[0]) == (0, INSTANCE)
    first, *rest = path.read_text().splitlines(keepends=True)
    assert first == "first\n"
    path.write_text("".join(rest))
    assert is_solution(path)


@pytest.mark.faults
def test_a_pipe_gets_the_solution(tmp_path):
    pipe, copy = tmp_path / "pipe", tmp_path / "x.sol"
    os.mkfifo(pipe)
    process = started(*SOLVE, "--out", pipe)
    copy.write_bytes(pipe.read_bytes())
    process.communicate()
    assert process.returncode == 0
    assert is_solution(copy)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.faults
def test_a_reader_of_a_pipe_that_leaves(tmp_path):
    pipe, report = tmp_path / "pipe", tmp_path / "x.json"
    os.mkfifo(pipe)
    threading.Thread(target=lambda: os.close(os.open(pipe, os.O_RDONLY))).start()
    code, out, err = ended(*SOLVE, "--out", pipe, "--json", report)
    assert code in (0, 2)  # a few routes may be in the pipe before its reader leaves
    assert "Traceback" not in err
    assert f"wrote {report}" in out


@pytest.mark.faults
def test_a_device_stays_a_device(tmp_path):
    node = tmp_path / "null"
    try:
        os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        node.write_bytes(b"")
    except PermissionError as error:
        pytest.skip(f"devices cannot be made here: {error}")
    code, _, err = ended(*SOLVE, "--out", node, "--json", node)
    assert (code, err) == (0, "")
    assert stat.S_ISCHR(node.stat().st_mode)


@pytest.mark.faults
def test_a_limit_of_file_sizes_costs_one_file(tmp_path):
    sol, report = tmp_path / "x.sol", tmp_path / "x.json"
    code, out, err = ended(
        *SOLVE, "--out", sol, "--json", report,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )  # fmt: skip
    assert code == 2
    assert f"wrote {sol}" in out
    assert err == f"Error: {report}: cannot be written (File too large); expected a place open for writing; " \
        "choose another.\n"  # fmt: skip
    assert is_solution(sol)
    assert [path.name for path in tmp_path.iterdir()] == ["x.sol"]


@pytest.fixture
def small_disk(tmp_path):
    """A disk with room for a few bytes, which `fill` has filled."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    with (disk / "fill").open("wb", buffering=0) as fill:
        try:
            while True:
                fill.write(b"x" * 1024)
        except OSError:
            pass
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.mark.faults
def test_a_full_disk_costs_no_answer(tmp_path, small_disk):
    report = tmp_path / "x.json"
    code, out, err = ended(*SOLVE, "--quiet", "--out", small_disk / "x.sol", "--json", report)
    assert code == 2
    assert "No space left on device" in err
    assert out.startswith(f"{INSTANCE}: CVRP")
    assert "Route #1" not in out
    assert dacalns.Result.from_json(report).feasible
    code, out, _ = ended(*SOLVE, "--out", small_disk / "x.sol", "--plot", small_disk / "x.png")
    assert code == 2
    (tmp_path / "x.sol").write_text(out[out.index("Route #1") :])
    assert is_solution(tmp_path / "x.sol")
    assert [path.name for path in small_disk.iterdir()] == ["fill"]


@pytest.mark.faults
def test_a_full_disk_ends_a_training_in_one_sentence(small_disk):
    (small_disk / "fill").write_bytes(b"")
    code, _, err = ended(
        "train", "--problem", "cvrp", "--instances", "generated:5-8", "--steps", 4_000_000, "--kind", "wheel",
        "--out", small_disk / "p.safetensors", "--validation-instances", 0, "--jobs", 1, "--episodes", 4,
    )  # fmt: skip
    assert code == 2
    assert "Traceback" not in err
    assert "No space left on device" in err


@pytest.mark.faults
def test_little_memory_is_told_in_one_sentence():
    limit = 300_000 * 1024
    code, _, err = ended(*SOLVE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert code == 2
    assert err.count("\n") == 1
    assert "dac-alns cannot be loaded" in err
