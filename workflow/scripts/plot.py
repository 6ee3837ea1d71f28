"""One figure as PDF and PNG, and the numbers it shows as CSV."""

from shiftbench.run.job import start

start(snakemake, compiled=True)

from shiftbench import plugins
from shiftbench.datasets import blocks
from shiftbench.files import write_text
from shiftbench.present import figures, formats, style
from shiftbench.present.context import build_context, needs
from shiftbench.runs import read_runs

config, name, out = snakemake.config, snakemake.wildcards.figure, snakemake.output
data = {
    (path.split("/")[-2], one.scenario): one
    for path in snakemake.input.get("data", [])
    for one in blocks.read(path)
    if one.number == 0
}
context = build_context(name, config, read_runs("results/runs", needs(config, name)), data=data, kind="figures")
figure, table = figures.make(plugins.load_file("figures", context.settings["layout"], config["plugins"]), context)
style.save(figure, out.pdf, out.png)
write_text(out.csv, formats.to_csv(table))
