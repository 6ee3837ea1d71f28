"""What the rules ask of the config: the jobs there are, what each depends on, and the targets a user can name."""

from functools import cache
from pathlib import Path
from typing import Any

from shiftlr import methods

from shiftbench import plugins
from shiftbench.config import plan
from shiftbench.fetch import sources
from shiftbench.fit import split_number
from shiftbench.present import captions
from shiftbench.present.context import needs, quick_experiments
from shiftbench.run.dependencies import ROOT, code_of

SOURCES = ROOT / "sources.yaml"
SCRIPTS = ROOT / "scripts"
TABLE_KINDS = ("tex", "csv", "md", "html")
FIGURE_KINDS = ("pdf", "png", "csv")
_MOST_PRIORITY = 1_000_000  # of a fit


class Steps:
    """All steps of a completed config. Paths are below results/, relative to the working directory."""

    def __init__(self, config: dict[str, Any]):
        self.config, self.plugins = config, config["plugins"]
        self.sources = sources.load(SOURCES)
        self.blocks = cache(lambda experiment: plan.blocks(config, experiment))
        self.dataset = cache(self._dataset)
        self.plan_of = cache(self._plan_of)  # Snakemake asks before and after it has deleted what a plan depends on

    def _dataset(self, experiment):
        return plugins.load_file("datasets", self.config["experiments"][experiment]["dataset"], self.plugins)

    # What there is to make

    @property
    def tables(self) -> list[str]:
        return [*self.config["experiments"], *self.config["tables"]]

    @property
    def figures(self) -> list[str]:
        return list(self.config["figures"])

    @property
    def wanted(self) -> list[str]:
        """Names of what `all` makes: the whole report, or what `only` says."""
        return list(dict.fromkeys(self.config["only"])) or self.made_by(plan.REPORT)

    def made_by(self, target: str) -> list[str]:
        """Names of all that a target makes."""
        every = dict.fromkeys([*self.tables, *self.figures])
        return [name for name in every if plan.target_of(self.config, name) == target]

    def files_of(self, name: str) -> list[str]:
        """The table and the figure of a name, and the lists of an experiment."""
        files = [f"results/tables/{name}.{kind}" for kind in TABLE_KINDS] * (name in self.tables)
        files += [f"results/figures/{name}.{kind}" for kind in FIGURE_KINDS] * (name in self.figures)
        lists = [one for one, about in self.config["suspects"].items() if about["of"].split(".")[0] == name]
        return files + [f"results/{one}.csv" for one in lists]

    @property
    def experiments(self) -> list[str]:
        """The experiments that `all` runs: those whose runs something wanted shows."""
        shown = {one for name in self.wanted for one in self.needs(name)}
        return [name for name in self.config["experiments"] if name in shown]

    def needs(self, name: str) -> list[str]:
        """The experiments whose runs a table or figure shows or is judged by."""
        return needs(self.config, name)

    @property
    def external(self) -> list[str]:
        """The external data that are used."""
        return list(dict.fromkeys(name for one in self.experiments for name in self.sources_of(one)))

    # Fetched data

    def sources_of(self, experiment: str) -> tuple[str, ...]:
        return tuple(getattr(self.dataset(experiment), "SOURCES", ()))

    def folders(self, experiment: str) -> dict[str, str]:
        return {name: f"results/data/sources/{name}" for name in self.sources_of(experiment)}

    def records(self, experiment: str) -> list[str]:
        """What is known of the fetched files of an experiment."""
        return [f"{folder}/{sources.PROVENANCE}" for folder in self.folders(experiment).values()]

    def own_files(self, experiment: str) -> list[str]:
        """Files of the user's own that an experiment reads."""
        dataset, scenarios = self.dataset(experiment), self.config["experiments"][experiment]["scenarios"]
        if not hasattr(dataset, "files"):
            return []
        defaults = getattr(dataset, "DEFAULTS", {})
        return list(dict.fromkeys(file for one in scenarios.values() for file in dataset.files(defaults | one["data"])))

    def _plan_of(self, source):
        """Where a dataset would come from now: changes, and so is a reason to fetch, while all there is is a stand-in.

        Looks at this machine only: hosts are asked by the job itself.
        """
        return sources.plan(self.sources[source], self.config, f"results/data/sources/{source}")

    def check_mirror(self) -> None:
        """A ConfigError if a mirror is set that does not exist, and something is yet to be fetched."""
        folders = {name: f"results/data/sources/{name}" for name in self.external}
        sources.check_mirror(self.sources, self.config, folders)

    def fetch_code(self, source: str) -> str:
        return code_of(SCRIPTS / "fetch.py", sources.standin_module(self.sources[source]))

    # Prepared data and fits

    def prepare_job(self, experiment: str, block: str) -> dict[str, Any]:
        job = plan.data_settings(self.config, experiment, self.blocks(experiment)[int(block)], self.folders(experiment))
        return job | {"plugins": self._plugins_with(self._dataset_files(experiment))}

    def prepare_code(self, experiment: str) -> str:
        return code_of(SCRIPTS / "prepare.py", *self._dataset_files(experiment))

    def _dataset_files(self, experiment):
        about = self.config["experiments"][experiment]
        kinds = {one["noise"]["kind"] for one in about["scenarios"].values() if one["noise"]}
        return [Path(self.dataset(experiment).__file__), *self._function_files("noise", kinds)]

    def _function_files(self, kind, names):
        """The files of noise models or metrics."""
        added = plugins.files(kind, self.plugins)
        return [*sorted(added[name] for name in names if name in added), plugins.MODULES[kind]]

    def _plugins_with(self, files):
        """The folder of the plug-ins if it holds one of the files: what needs none does not depend on it."""
        folder = self.plugins and Path(self.plugins).resolve()
        held = folder and any(Path(file).resolve().is_relative_to(folder) for file in files)
        return self.plugins if held else None

    def fit_job(self, wildcards) -> dict[str, Any]:
        job = plan.fit_settings(self.config, _fit(wildcards), self.is_redrawn(wildcards.experiment))
        return (
            job | {"plugins": self._plugins_with(self._fit_files(wildcards))} | self._missing(job["method"]["method"])
        )

    def fit_priority(self, experiment: str) -> int:
        """Fits of experiments with few replicates in a job, which are slow, start first: the last jobs are short."""
        size = self.config["experiments"][experiment]["replicates_per_job"] or self.config["replicates_per_job"]
        return max(_MOST_PRIORITY // size, 1)

    def _missing(self, method):
        """What this machine lacks for a method that may lack something: a reason to run it again when that is there.

        Methods are not imported here, which takes seconds in every job of a cluster, unless their file has `missing`.
        """
        folders = plugins.folders("methods", self.plugins)
        if "def missing(" not in methods.file_of(method, folders).read_text(encoding="utf-8"):
            return {}
        kind: Any = methods.load(method, folders)
        return {"missing": kind.missing()}

    def is_redrawn(self, experiment: str) -> bool:
        return getattr(self.dataset(experiment), "REDRAWN", False)

    def fit_code(self, wildcards) -> str:
        return code_of(SCRIPTS / "fit.py", *self._fit_files(wildcards))

    def _fit_files(self, wildcards):
        """A method's own file counts for its own fits only; a dataset's where its data are drawn again."""
        about = self.config["experiments"][wildcards.experiment]
        file = about["methods"][wildcards.method]["method"]
        method = methods.file_of(file, plugins.folders("methods", self.plugins))
        metrics = self._function_files("metrics", [split_number(name)[0] for name in about["metrics"]])
        data = self._dataset_files(wildcards.experiment) if self.is_redrawn(wildcards.experiment) else []
        return [method, *metrics, *data]

    def chosen_by(self, wildcards) -> list[str]:
        """The rows of the fits whose parameters are taken over."""
        return [f"results/runs/{fit.path}.csv" for fit in plan.needed(self.config, _fit(wildcards))]

    def rows_of(self, experiment: str) -> list[str]:
        """All rows of an experiment, of its data first."""
        return [f"results/{name}.csv" for name in plan.files_of_rows(self.config, experiment)]

    def data_blocks(self) -> list[str]:
        return [f"results/data/{one}/{block.number}.npz" for one in self.experiments for block in self.blocks(one)]

    # Tables and figures

    def runs_of(self, name: str) -> list[str]:
        """The combined runs that a table or figure shows."""
        return [f"results/runs/{one}.{kind}" for one in self.needs(name) for kind in ("parquet", "npz")]

    def table_code(self, name: str) -> str:
        layout = (self.config["experiments"].get(name, {}).get("table") or self.config["tables"].get(name))["layout"]
        return code_of(SCRIPTS / "tabulate.py", plugins.files("tables", self.plugins)[layout])

    def figure_code(self, name: str) -> str:
        return code_of(
            SCRIPTS / "plot.py", plugins.files("figures", self.plugins)[self.config["figures"][name]["layout"]]
        )

    def figure_data(self, name: str) -> list[str]:
        """Blocks with the first replicates that a figure shows features of."""
        about = self.config["figures"][name]
        module = plugins.load_file("figures", about["layout"], self.plugins)
        if not getattr(module, "NEEDS_DATA", False):
            return []
        found: dict[str, None] = {}
        for place in about["of"]:
            experiment, _, scenario = place.partition(".")
            for block in self.blocks(experiment):
                names = [scenario] if scenario else self.config["experiments"][experiment]["scenarios"]
                if any(block.holds(one, 0) for one in names):
                    found[f"results/data/{experiment}/{block.number}.npz"] = None
        return list(found)

    def needs_published(self, name: str) -> bool:
        """Whether a figure shows numbers of the report."""
        module = plugins.load_file("figures", self.config["figures"][name]["layout"], self.plugins)
        return getattr(module, "NEEDS_PUBLISHED", False)

    # Lists of suspects

    def listed_experiment(self, name: str) -> str:
        return self.config["suspects"][name]["of"].split(".")[0]

    def listed_runs(self, name: str) -> list[str]:
        return [f"results/runs/{self.listed_experiment(name)}.{kind}" for kind in ("parquet", "npz")]

    def listed_settings(self, name: str) -> dict[str, Any]:
        """What the dataset needs to know to show its examples."""
        experiment, _, scenario = self.config["suspects"][name]["of"].partition(".")
        about = self.config["experiments"][experiment]
        defaults = getattr(self.dataset(experiment), "DEFAULTS", {})
        data = defaults | about["scenarios"][scenario]["data"] | {"folders": self.folders(experiment)}
        quick = experiment in quick_experiments(self.config)
        folder = self._plugins_with([self.dataset(experiment).__file__])
        return {"dataset": about["dataset"], "data": data, "plugins": folder, "quick": quick}

    def list_code(self, name: str) -> str:
        return code_of(SCRIPTS / "list_suspects.py", Path(self.dataset(self.listed_experiment(name)).__file__))

    # The page of Snakemake's report

    def caption(self, kind: str, name: str) -> str:
        return captions.caption(self.config, kind, name)

    def category(self, name: str) -> str:
        """Sections in the order in which the config has them."""
        if plan.target_of(self.config, name) == plan.BEYOND:
            return "Beyond the report"
        sections = [self._section(one) for one in self.made_by(plan.REPORT)]
        order = [section for section in dict.fromkeys(sections) if section != "ours"]
        section = self._section(name)
        if section not in order:
            return f"{len(order) + 1}. Ours"
        return f"{order.index(section) + 1}. {section if section[0].isalpha() else f'Section {section}'}"

    def _section(self, name):
        for kind in ("experiments", "tables", "figures"):
            if name in self.config[kind]:
                return self.config[kind][name]["section"] or "ours"
        raise KeyError(name)

    def report_config(self) -> str:
        """Checksum of all settings of the report's results; where files are found is none of them."""
        kept = {key: value for key, value in self.config.items() if key not in ("mirror", "on_missing")}
        for kind in ("experiments", "tables", "figures"):
            names = [name for name in kept[kind] if plan.target_of(self.config, name) == plan.REPORT]
            kept[kind] = {name: kept[kind][name] for name in names}
        kept["suspects"] = {
            name: about
            for name, about in kept["suspects"].items()
            if self.listed_experiment(name) in kept["experiments"]
        }
        return plan.fingerprint(kept)

    def shown_config(self, name: str) -> str:
        """Checksum of all settings that a table or figure shows."""
        parts = {one: self.config["experiments"][one] for one in self.needs(name)}
        views = {kind: self.config[kind].get(name) for kind in ("tables", "figures")}
        shared = {key: self.config[key] for key in ("methods", "extra_methods", "resamples", "quick")}
        return plan.fingerprint([parts, views, shared])


def _fit(wildcards):
    return plan.Fit(wildcards.experiment, wildcards.method, int(wildcards.block))
