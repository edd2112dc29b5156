"""A folder of this user's alone, among the temporary files that all users share."""

import os
import stat
import tempfile
from functools import cache
from pathlib import Path

ATTEMPTS = 10


@cache
def private_folder() -> Path | None:
    """The folder, made if need be; None where there can be none.

    All processes of a user find the same one. A name that somebody else has taken, with a folder of theirs or a link,
    is passed over: what is in there is not ours to trust.
    """
    user = os.getuid() if hasattr(os, "getuid") else "user"
    try:
        shared = Path(tempfile.gettempdir())
        for attempt in range(ATTEMPTS):
            folder = shared / (f"dac-alns-{user}-{attempt}" if attempt else f"dac-alns-{user}")
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                if not _is_ours(folder):
                    continue
            return folder
    except OSError:  # no folder for temporary files, or one that cannot be written
        pass
    return None


def _is_ours(folder: Path) -> bool:
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):  # a link, too
        return False
    # On Windows each user has temporary files of their own, and modes say nothing.
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == 0o700)
