import sys

import pytest

import dacalns
from dacalns.engines import RayCluster


def test_without_the_extra_the_line_to_install_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(dacalns.InputError, match=r'run: pip install "dac-alns\[ray\]"$'):
        RayCluster()
