"""What the build of the site makes: the pictures of the gallery, which are stored nowhere."""

import runpy
import tempfile
from pathlib import Path
from typing import Any

GALLERY = Path(__file__).parent / "examples" / "gallery.py"


def on_files(files: Any, config: Any) -> Any:
    """Add the pictures to the files of the site."""
    from mkdocs.structure.files import File

    with tempfile.TemporaryDirectory() as folder:
        runpy.run_path(str(GALLERY))["draw"](Path(folder))
        for picture in sorted(Path(folder).iterdir()):
            files.append(File.generated(config, f"gallery/{picture.name}", content=picture.read_bytes()))
    return files
