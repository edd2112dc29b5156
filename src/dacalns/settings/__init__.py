"""The settings of a search, in one object or in a file."""

from dacalns.settings.load import load_settings
from dacalns.settings.settings import SearchSettings, SelectorSettings, Settings, StopSettings

__all__ = ["SearchSettings", "SelectorSettings", "Settings", "StopSettings", "load_settings"]
