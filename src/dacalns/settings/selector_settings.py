"""Which selector, and what it is set to."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dacalns.errors import InputError
from dacalns.instances.choices import require_choice
from dacalns.instances.suggest import did_you_mean
from dacalns.search.user_file import split_file
from dacalns.selectors.by_name import SELECTORS, as_selector
from dacalns.selectors.presets import PRESETS
from dacalns.shown import VALUE, shortened, shown, text_of

PARTS = ("rewards", "network", "learning")
"""The fields of a learned selector that have tables of their own."""


@dataclass(frozen=True)
class SelectorSettings:
    """A selector by name.

    Parameters
    ----------
    name
        What `dacalns.solve` takes: ``"roulette"``, ``"weights:1,0/0,1,2"`` and so on.
    preset
        For learned selectors: where what is not given comes from, a name of `dacalns.PRESETS`.
    values
        The selector's other fields, such as ``{"segment": 50}`` for roulette.

    Raises
    ------
    InputError
        When there is no such selector or preset, or the selector has no such field.
    """

    name: str = "roulette"
    preset: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", dict(self.values))
        known = self.fields
        for key in self.values:
            if key not in known:
                listed = ", ".join(known) or "none"
                raise InputError(
                    f"selector {shortened(text_of(self.name), VALUE)} has no field {shown(key)}; expected one of: "
                    f"{listed}; " + (did_you_mean(key, known) or "leave it out.")
                )
        if self.preset is not None:
            require_choice("preset", self.preset, tuple(PRESETS))
            if not self.learned:
                raise InputError(
                    f"preset is {shown(self.preset)}; expected none for selector "
                    f"{shortened(text_of(self.name), VALUE)}, which does not learn; leave it out."
                )
        # A file is code: it is run when a search needs it, not when settings are read.
        if not isinstance(self.name, str) or not split_file(self.name):
            self.build()

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the selector that ``values`` may give."""
        return tuple(name for name in _all_fields(self.name) if name not in PARTS)

    @property
    def learned(self) -> bool:
        """Whether rewards, network or learning are settings of it."""
        return any(part in _all_fields(self.name) for part in PARTS)

    def build(self, **parts: Any) -> Any:
        """The selector itself.

        Parameters
        ----------
        parts
            ``rewards``, ``network`` and ``learning``; the preset's where they are None or left out.
        """
        if not isinstance(self.name, str) or self.name not in SELECTORS:
            return as_selector(self.name)
        given = dict(self.values)
        preset = PRESETS[self.preset or "paper"]
        for part in PARTS:
            if part in _all_fields(self.name):
                given[part] = parts.get(part) or getattr(preset, part)
        if "prior" in _all_fields(self.name):
            given.setdefault("prior", preset.prior)
        make: Any = SELECTORS[self.name]
        return make(**given)


def _all_fields(name: str) -> tuple[str, ...]:
    kind = SELECTORS.get(name) if isinstance(name, str) else None
    if kind is None or not dataclasses.is_dataclass(kind):
        return ()
    return tuple(entry.name for entry in dataclasses.fields(kind) if entry.init)
