# shiftlr: regenerates every table and figure of "Robust Logistic Regression using Shift Parameters".
#
#   snakemake --cores N              everything
#   snakemake --cores N data         only what is fetched from outside
#   snakemake --cores N verify       everything, and compared with tests/expected
#   snakemake --report report.html   tables and figures on one page, after a run

from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/simulations.smk"
include: "workflow/rules/colon.smk"
include: "workflow/rules/ner.smk"
include: "workflow/rules/report.smk"


localrules:
    all,


rule all:
    default_target: True
    input:
        "results/runs.parquet",
        "results/verdicts.csv",
        "results/manifest.json",
        "results/provenance.json",
        COLON_FILES,
        NER_FILES,
        expand("results/tables/{table}.{kind}", table=EVERY_TABLE, kind=TABLE_KINDS),
        expand("results/figures/{figure}.{kind}", figure=EVERY_FIGURE, kind=["pdf", "png"]),
