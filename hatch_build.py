"""What a wheel gets besides the sources: the examples; and compiled kernels, from `packaging/build_wheel.py`."""

import os
import platform
import sys
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Additions(BuildHookInterface):
    """Puts the examples into a wheel, and the folder that ``DACALNS_COMPILED`` names.

    With compiled kernels a wheel is for this platform and this Python, else for all of them.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them; what is installed as a link to a checkout finds the examples there, and has no kernels."""
        if version == "editable":
            return
        build_data["force_include"][os.path.join(self.root, "examples")] = "dacalns/_examples"
        folder = os.environ.get("DACALNS_COMPILED")
        if not folder:
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp{sys.version_info[0]}{sys.version_info[1]}-none-{_platform()}"
        build_data["force_include"][folder] = "dacalns/_compiled"


def _platform() -> str:
    """The name of this platform in a tag; the code calls nothing of the C library that old ones have not."""
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        return f"manylinux_2_17_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
