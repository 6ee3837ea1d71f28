# From the runs to what people read: verdicts, tables, figures, the manifest; and the check against expected results.


# A few seconds each: not worth a place in a cluster's queue.
localrules:
    judge,
    tabulate,
    plot,
    manifest,
    verify,


rule judge:
    input:
        runs="results/runs.parquet",
        published="workflow/report/published.csv",
        facts=FACTS,
        provenance="results/provenance.json",
        sources=sources("verdicts.py", "tables.py", "formats.py"),
    output:
        verdicts="results/verdicts.csv",
        comparisons="results/comparisons.csv",
        summary="results/summary.txt",
        page=report(
            "results/verdicts.html",
            caption="../report/verdicts.rst",
            category="0. Verdicts",
            labels={"what": "every published number and claim, and whether it reproduced"},
        ),
    log:
        "results/logs/judge.log",
    benchmark:
        "results/benchmarks/judge.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    script:
        "../scripts/judge.py"


rule tabulate:
    input:
        runs="results/runs.parquet",
        verdicts="results/verdicts.csv",
        published="workflow/report/published.csv",
        sources=sources("tables.py", "formats.py", "verdicts.py"),
    output:
        tex="results/tables/{table}.tex",
        csv="results/tables/{table}.csv",
        md="results/tables/{table}.md",
        html=report(
            "results/tables/{table}.html",
            caption="../report/table.rst",
            category=category,
            labels={"what": "table", "name": "{table}"},
        ),
    log:
        "results/logs/tabulate/{table}.log",
    benchmark:
        "results/benchmarks/tabulate/{table}.tsv"
    wildcard_constraints:
        table="|".join(TABLES),
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        # The script reads the config itself; its fingerprint makes a change of it a reason to run.
        config_sha256=fingerprint({key: config[key] for key in ("also", "methods", "experiments")}),
    script:
        "../scripts/tabulate.py"


rule plot:
    input:
        style="workflow/report/shiftlr.mplstyle",
        sources=figure_sources,
    output:
        pdf="results/figures/{figure}.pdf",
        png=report(
            "results/figures/{figure}.png",
            caption="../report/figure.rst",
            category="8. Figures",
            labels={"what": "figure", "name": "{figure}"},
        ),
    log:
        "results/logs/plot/{figure}.log",
    benchmark:
        "results/benchmarks/plot/{figure}.tsv"
    wildcard_constraints:
        figure="|".join(FIGURES),
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        settings=lambda wildcards: config["figures"][wildcards.figure],
    script:
        "../scripts/plot.py"


rule manifest:
    input:
        runs="results/runs.parquet",
        verdicts="results/verdicts.csv",
        tables=expand("results/tables/{table}.{kind}", table=EVERY_TABLE, kind=TABLE_KINDS),
        figures=expand("results/figures/{figure}.{kind}", figure=EVERY_FIGURE, kind=["pdf", "png"]),
        colon=COLON_FILES,
        ner=NER_FILES,
        provenance="results/provenance.json",
        simulated=simulated_data,
    output:
        manifest="results/manifest.json",
    log:
        "results/logs/manifest.log",
    benchmark:
        "results/benchmarks/manifest.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        # Where files are found is no setting of the results.
        config_sha256=fingerprint({key: config[key] for key in config if key not in ("mirror", "on_missing")}),
        started=STARTED,
        benchmarks="results/benchmarks",
    script:
        "../scripts/manifest.py"


rule verify:
    input:
        runs="results/runs.parquet",
        verdicts="results/verdicts.csv",
        facts=FACTS,
        expected="tests/expected/results.json",
        sources=sources("verify.py"),
    output:
        differences="results/verify.csv",
    log:
        "results/logs/verify.log",
    benchmark:
        "results/benchmarks/verify.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    script:
        "../scripts/verify.py"
