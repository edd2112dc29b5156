"""Names of instances, trainings and the like as names of files."""

import hashlib
import re

# Of a file; the rest is for what stands before and behind.
MOST_BYTES = 120
# Devices of Windows, whatever stands behind a dot.
RESERVED = re.compile(r"(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(\..*)?", re.IGNORECASE)


def file_name(name: str) -> str:
    """A name as that of a file in the folder where it belongs, on every system.

    Letters, digits and ``-_.+`` stay. A name that has others, that would lead elsewhere or that is too long is changed,
    and ends in a few digits that tell it from others that look alike then.

    Examples
    --------
    >>> file_name("A-n80-k10")
    'A-n80-k10'
    >>> file_name("../../x")
    'x-9cdf6a50'
    """
    kept = re.sub(r"[^\w.+-]+", "-", name).lstrip("-.")
    kept = kept.encode("utf-8", "ignore")[:MOST_BYTES].decode("utf-8", "ignore").rstrip(".")
    if kept and kept == name and not RESERVED.fullmatch(name):
        return name
    digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{kept.partition('.')[0] if RESERVED.fullmatch(kept) else kept}-{digits}".lstrip("-")
