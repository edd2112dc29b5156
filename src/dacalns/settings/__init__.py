"""Settings of a search in one object, and in a file."""

from dacalns.settings.load import load_settings
from dacalns.settings.search_settings import SearchSettings
from dacalns.settings.selector_settings import SelectorSettings
from dacalns.settings.settings import Settings
from dacalns.settings.stop_settings import StopSettings

__all__ = ["SearchSettings", "SelectorSettings", "Settings", "StopSettings", "load_settings"]
