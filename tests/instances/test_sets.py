"""The named sets, and the study's strata name by name."""

import pytest

from dacalns.instances import instance_names, read, set_names
from dacalns.util.errors import InputError

PINNED = {
    "cvrp-small": (
        "A-n32-k5 A-n33-k5 A-n33-k6 A-n34-k5 A-n36-k5 A-n37-k5 A-n37-k6 A-n38-k5 A-n39-k5 A-n39-k6 B-n31-k5 "
        "B-n34-k5 B-n35-k5 B-n38-k6 B-n39-k5 P-n22-k8 P-n23-k8 P-n40-k5"
    ),
    "cvrp-medium": (
        "A-n44-k6 A-n45-k7 A-n46-k7 A-n53-k7 A-n54-k7 A-n60-k9 B-n41-k6 B-n44-k7 B-n45-k6 B-n51-k7 B-n56-k7 "
        "B-n57-k9 P-n45-k5 P-n50-k7 P-n51-k10 P-n55-k15 P-n55-k8 P-n60-k15"
    ),
    "cvrp-large": (
        "A-n61-k9 A-n62-k8 A-n63-k10 A-n63-k9 A-n64-k9 A-n65-k9 A-n69-k9 A-n80-k10 B-n63-k10 B-n64-k9 "
        "B-n66-k9 B-n67-k10 B-n68-k9 B-n78-k10 P-n65-k10 P-n70-k10 P-n76-k4 P-n76-k5"
    ),
    "vrptw-small": (
        "R103-n34-s1 R106-n28-s1 R108-n27-s1 R111-n22-s1 R203-n26-s1 R204-n32-s1 R209-n39-s1 R210-n21-s1 "
        "C102-n20-s1 C103-n23-s1 C107-n35-s1 C204-n23-s1 C206-n24-s1 "
        "RC102-n38-s1 RC104-n29-s1 RC107-n35-s1 RC202-n30-s1 RC205-n33-s1"
    ),
    "vrptw-medium": (
        "R103-n44-s1 R105-n43-s1 R109-n49-s1 R112-n46-s1 R201-n57-s1 R204-n55-s1 R206-n51-s1 R208-n42-s1 "
        "C103-n47-s1 C108-n41-s1 C109-n53-s1 C202-n57-s1 C208-n45-s1 "
        "RC104-n49-s1 RC105-n41-s1 RC108-n50-s1 RC201-n54-s1 RC202-n56-s1"
    ),
    "vrptw-large": (
        "R101-n77-s1 R103-n72-s1 R105-n62-s1 R107-n61-s1 R203-n74-s1 R204-n71-s1 R205-n70-s1 R211-n72-s1 "
        "C104-n69-s1 C105-n76-s1 C109-n78-s1 C205-n64-s1 C206-n71-s1 "
        "RC102-n74-s1 RC103-n77-s1 RC107-n63-s1 RC201-n79-s1 RC204-n78-s1"
    ),
}
LIMITS = {"small": (20, 39), "medium": (40, 59), "large": (60, 79)}


@pytest.mark.parametrize("stratum", PINNED)
def test_strata_are_pinned(stratum: str) -> None:
    assert instance_names(stratum) == PINNED[stratum].split()


@pytest.mark.parametrize("stratum", PINNED)
def test_strata_are_as_defined(stratum: str) -> None:
    names = instance_names(stratum)
    least, most = LIMITS[stratum.split("-")[1]]
    assert len(names) == len(set(names)) == 18
    assert all(least <= read(name).customers <= most for name in names)
    if stratum.startswith("vrptw"):
        bases = [name.split("-")[0] for name in names]
        classes = [base.rstrip("0123456789") for base in bases]
        assert len(set(bases)) == 18
        assert {label: classes.count(label) for label in ("R", "C", "RC")} == {"R": 8, "C": 5, "RC": 5}
        kinds = {base[: len(label) + 1] for base, label in zip(bases, classes, strict=True)}
        assert kinds == {"R1", "R2", "C1", "C2", "RC1", "RC2"}


def test_large_cvrp_is_all_there_is() -> None:
    everything = [name for name in instance_names("augerat") if 60 <= read(name).customers <= 79]
    assert sorted(instance_names("cvrp-large")) == sorted(everything)


def test_sizes_and_unions() -> None:
    sizes = {name: len(instance_names(name)) for name in set_names()}
    assert [sizes[name] for name in ("A", "B", "P", "augerat")] == [27, 23, 24, 74]
    assert [sizes[name] for name in ("C1", "C2", "R1", "R2", "RC1", "RC2", "solomon")] == [
        9,
        8,
        12,
        11,
        8,
        8,
        56,
    ]
    assert sizes["cvrp"] == sizes["vrptw"] == 54
    assert instance_names() == instance_names("augerat") + instance_names("solomon")
    assert len(instance_names()) == sizes["all bundled"] == 130


def test_a_caller_cannot_change_a_set() -> None:
    instance_names("A").clear()
    assert len(instance_names("a")) == 27


def test_unknown_set() -> None:
    with pytest.raises(InputError, match="did you mean 'solomon'"):
        instance_names("salomon")
    with pytest.raises(InputError, match="set 7 does not exist; expected one of A, B, P"):
        instance_names(7)  # type: ignore[arg-type]
