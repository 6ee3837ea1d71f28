"""The examples that a method suspects, as the dataset shows them: all of them as CSV, the first as a page."""

from shiftbench.run.job import start

start(snakemake)

from pathlib import Path

from shiftbench import plugins, runs
from shiftbench.analyses.suspects import suspected
from shiftbench.files import write_text
from shiftbench.present import formats
from shiftbench.present.suspects import suspect_table

wanted, settings = snakemake.params.wanted, snakemake.params.settings
experiment, _, scenario = wanted["of"].partition(".")
of = runs.read_runs(Path(snakemake.input.runs[0]).parent, [experiment])
found = suspected(of, experiment, scenario, wanted["method"])
origins = set(of.of(experiment, scenario)["data"]) | ({"quick"} if settings["quick"] else set())
dataset = plugins.load_file("datasets", settings["dataset"], settings["plugins"])
shown = dataset.list_suspects(found, settings["data"]) if hasattr(dataset, "list_suspects") else found
write_text(snakemake.output.csv, formats.to_csv(shown))
formats.write(suspect_table(snakemake.wildcards.list, wanted, origins, found, shown), html=snakemake.output.html)
