"""What a wheel gets besides the sources: compiled kernels, where `packaging/build_wheel.py` has some; see there."""

import os
import platform
import sys
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKernels(BuildHookInterface):
    """Puts the folder that ``DACALNS_COMPILED`` names into the wheel, which is then for this platform and Python."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folder; without one, the wheel is for all platforms, as ever."""
        folder = os.environ.get("DACALNS_COMPILED")
        if not folder or version == "editable":
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp{sys.version_info[0]}{sys.version_info[1]}-none-{_platform()}"
        build_data["force_include"][folder] = "dacalns/_compiled"


def _platform() -> str:
    """The name of this platform in a tag; the code calls nothing of the C library that old ones have not."""
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        return f"manylinux_2_17_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
