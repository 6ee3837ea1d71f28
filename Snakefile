# shiftlr: regenerates every table and figure of "Robust Logistic Regression using Shift Parameters".
#
#   snakemake --cores N                 everything
#   snakemake --cores N table1          one experiment, table or figure; `make help` lists them
#   snakemake --cores N data            only what is fetched from outside
#   snakemake --cores N verify          everything, and compared with tests/expected
#   snakemake --cores N beyond          what the report does not have; no part of `all`
#   snakemake --cores 1 bench           speed against other solvers; no part of `all`
#   snakemake --report report.html      tables and figures on one page, after a run

from snakemake.utils import min_version

min_version("9.0")


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/bench.smk"


localrules:
    all,
    beyond,


rule all:
    default_target: True
    input:
        "results/runs.parquet",
        "results/verdicts.csv",
        "results/manifest.json",
        "results/provenance.json",
        [steps.files_of(name) for name in steps.wanted],


rule beyond:
    input:
        [steps.files_of(name) for name in steps.made_by(BEYOND)],
