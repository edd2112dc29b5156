"""The files of a plan that ``dac-alns solve`` writes besides the solution: tables, GeoJSON, a page."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dacalns.cli.answer import WantedFile
from dacalns.util.files import require_writable

if TYPE_CHECKING:
    from dacalns.instances import Instance
    from dacalns.search.result import Result


@dataclass(frozen=True)
class PlanFiles:
    """Where the files go; None for those that are not wanted."""

    table: Path | None
    geojson: Path | None
    html: Path | None

    @property
    def targets(self) -> dict[str, Path | None]:
        """The files, by the names of their options."""
        return {"--table": self.table, "--geojson": self.geojson, "--html": self.html}

    def require(self, instance: "Instance") -> None:
        """Raise an `InputError` if one of the files cannot be written, or not for this instance."""
        from dacalns.search.output.geojson import require_geojson
        from dacalns.search.output.tables import require_table

        if self.table is not None:
            require_table(self.table)
        if self.geojson is not None:
            require_geojson(self.geojson, instance)
        if self.html is not None:
            require_writable(self.html)

    def wanted(self, result: "Result") -> list[WantedFile]:
        """The files, and what writes each."""
        files = []
        if self.table is not None:
            files.append(WantedFile(self.table, result.to_table))
        if self.geojson is not None:
            files.append(WantedFile(self.geojson, result.to_geojson))
        if self.html is not None:
            files.append(WantedFile(self.html, result.to_html, picture=True))
        return files
