"""What a config can name: methods, datasets, noise, metrics, tables and figures, of the package and of plug-ins."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from shiftlr import methods

from shiftbench import plugins
from shiftbench.datasets.base import check_settings
from shiftbench.fit import split_number
from shiftbench.tuner import refused_settings

# Settings that every table and figure may have; the last three are those of an experiment's own table.
COMMON = ("layout", "of", "title", "section", "columns", "bold", "gain_beside")

_ASKED = ("penalty", "lams", "tol", "alphas", "sigma2s")  # of a tuning, what the settings of a method depend on


class Catalog:
    """Answers the questions of `shiftbench.config.checks`; `folder` is that of the plug-ins."""

    def __init__(self, folder: str | Path | None = None):
        self.folder = folder
        self.refused: dict[str, list[Exception]] = {}

    def parameters(self, method: str) -> list[str]:
        """The parameters of a method, or a ValueError if there is none of that name."""
        folders = plugins.folders("methods", self.folder)
        known = methods.known(folders)
        if method not in known:
            raise ValueError(
                f"there is no method {method!r}; known are {', '.join(known)} "
                "(one file each in workflow/shiftlr/methods, or in `plugins`)"
            )
        return sorted(methods.load(method, folders)._get_param_names())  # type: ignore[attr-defined]

    def refused_settings(self, method: dict[str, Any], tuning: dict[str, Any]) -> list[Exception]:
        """What a method says against the settings of its grid and its fixed ones; asked once for the same settings."""
        about = {name: method[name] for name in ("method", "params", "grid")}
        key = repr([about, {name: tuning[name] for name in _ASKED}])
        if key not in self.refused:
            self.refused[key] = refused_settings(about, tuning, self.folder)  # type: ignore[arg-type]
        return self.refused[key]

    def data_memory(self, dataset: str, settings: dict[str, Any], replicates: int) -> float:
        """Bytes that a job with so many replicates needs, as far as the dataset can tell without its files."""
        module = plugins.load_file("datasets", dataset, self.folder)
        if not hasattr(module, "memory"):
            return 0.0
        return module.memory(getattr(module, "DEFAULTS", {}) | settings, replicates)

    def data_problems(self, dataset: str, settings: dict[str, Any]) -> Iterator[str]:
        """What a dataset says of its settings, or a ValueError if there is none of that name."""
        module = plugins.load_file("datasets", dataset, self.folder)
        if not callable(getattr(module, "load", None)):
            raise ValueError(f"{module.__file__}: must define a function 'load'")
        unknown = check_settings(module, settings)
        if unknown:
            return iter([f"{', '.join(unknown)}: unknown; {dataset} has {', '.join(sorted(module.DEFAULTS))}"])
        if not hasattr(module, "check"):
            return iter(())
        return module.check(getattr(module, "DEFAULTS", {}) | settings)

    def noise(self, kind: str) -> Callable:
        """The noise model of a name."""
        return plugins.load_function("noise", kind, self.folder)

    def metric(self, name: str) -> Callable:
        """The metric of a name."""
        return plugins.load_function("metrics", split_number(name)[0], self.folder)

    def layout_problems(self, kind: str, settings: dict[str, Any]) -> list[str]:
        """What is wrong with a table or figure: its file, or settings that it does not know."""
        known = plugins.files(kind, self.folder)
        if settings["layout"] not in known:
            return [f"layout: there is no {settings['layout']!r}; known are {', '.join(known)}"]
        module = plugins.load_file(kind, settings["layout"], self.folder)
        accepted = getattr(module, "SETTINGS", None)
        if accepted is None:
            return []
        unknown = sorted(set(settings) - set(accepted) - set(COMMON))
        return [
            f"{name}: is unknown; {settings['layout']} has {', '.join(accepted) or 'no settings'}" for name in unknown
        ]

    def scorers(self) -> list[str]:
        """scikit-learn's names, and the library's own."""
        from shiftlr.validation import NOISE_LIKELIHOOD
        from sklearn.metrics import get_scorer_names

        return [*get_scorer_names(), NOISE_LIKELIHOOD]
