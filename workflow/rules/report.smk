# From the runs to what people read: verdicts, tables, figures, the manifest; and the check against expected results.


# A few seconds each: not worth a place in a cluster's queue.
localrules:
    judge,
    tabulate,
    plot,
    list_suspects,
    manifest,
    verify,


rule judge:
    input:
        runs=[f"results/runs/{name}.{kind}" for name in steps.experiments for kind in ("parquet", "npz")],
        published=beside("workflow/report/published.csv"),
        reasons=beside("workflow/report/reasons.yaml"),
        provenance="results/provenance.json",
    output:
        runs="results/runs.parquet",
        verdicts="results/verdicts.csv",
        comparisons="results/comparisons.csv",
        summary="results/summary.txt",
        tex="results/verdicts.tex",
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
    params:
        experiments=steps.experiments,
        resamples=config["resamples"],
        quick=sorted(quick_experiments(config) & set(steps.experiments)),
        code=code_of(SCRIPTS / "judge.py"),
    script:
        "../scripts/judge.py"


rule tabulate:
    input:
        runs=lambda wildcards: steps.runs_of(wildcards.table),
        published=beside("workflow/report/published.csv"),
        literature=beside("workflow/report/literature.csv"),
    output:
        tex="results/tables/{table}.tex",
        csv="results/tables/{table}.csv",
        md="results/tables/{table}.md",
        html=report(
            "results/tables/{table}.html",
            caption="../report/table.rst",
            category=lambda wildcards: steps.category(wildcards.table),
            labels={"what": "table", "name": "{table}"},
        ),
    log:
        "results/logs/tabulate/{table}.log",
    benchmark:
        "results/benchmarks/tabulate/{table}.tsv"
    conda:
        "../../envs/environment.yaml"
    params:
        # The script reads the config itself; this makes a change of it a reason to run.
        config_sha256=lambda wildcards: steps.shown_config(wildcards.table),
        caption=lambda wildcards: steps.caption("tables", wildcards.table),
        code=lambda wildcards: steps.table_code(wildcards.table),
    script:
        "../scripts/tabulate.py"


rule plot:
    input:
        runs=lambda wildcards: steps.runs_of(wildcards.figure),
        data=lambda wildcards: steps.figure_data(wildcards.figure),
        published=lambda wildcards: [beside("workflow/report/published.csv")] * steps.needs_published(wildcards.figure),
        style=beside("workflow/report/shiftlr.mplstyle"),
        kernels=ancient("results/kernels.json"),
    output:
        pdf="results/figures/{figure}.pdf",
        csv="results/figures/{figure}.csv",
        png=report(
            "results/figures/{figure}.png",
            caption="../report/figure.rst",
            category=lambda wildcards: steps.category(wildcards.figure),
            labels={"what": "figure", "name": "{figure}"},
        ),
    log:
        "results/logs/plot/{figure}.log",
    benchmark:
        "results/benchmarks/plot/{figure}.tsv"
    conda:
        "../../envs/environment.yaml"
    params:
        config_sha256=lambda wildcards: steps.shown_config(wildcards.figure),
        caption=lambda wildcards: steps.caption("figures", wildcards.figure),
        code=lambda wildcards: steps.figure_code(wildcards.figure),
    script:
        "../scripts/plot.py"


rule list_suspects:
    input:
        runs=lambda wildcards: steps.listed_runs(wildcards.list),
        records=lambda wildcards: steps.records(steps.listed_experiment(wildcards.list)),
    output:
        csv="results/{list}.csv",
        html=report(
            "results/{list}.html",
            caption="../report/suspects.rst",
            category=lambda wildcards: steps.category(steps.listed_experiment(wildcards.list)),
            labels={"what": "suspects", "name": "{list}"},
        ),
    log:
        "results/logs/list_suspects/{list}.log",
    benchmark:
        "results/benchmarks/list_suspects/{list}.tsv"
    wildcard_constraints:
        list="|".join(config["suspects"]) or "none",
    conda:
        "../../envs/environment.yaml"
    params:
        wanted=lambda wildcards: config["suspects"][wildcards.list],
        settings=lambda wildcards: steps.listed_settings(wildcards.list),
        code=lambda wildcards: steps.list_code(wildcards.list),
    script:
        "../scripts/list_suspects.py"


rule manifest:
    input:
        verdicts="results/verdicts.csv",
        runs="results/runs.parquet",
        shown=[steps.files_of(name) for name in steps.wanted],
        provenance="results/provenance.json",
        blocks=steps.data_blocks(),
    output:
        manifest="results/manifest.json",
    log:
        "results/logs/manifest.log",
    benchmark:
        "results/benchmarks/manifest.tsv"
    conda:
        "../../envs/environment.yaml"
    params:
        config_sha256=steps.report_config(),
        started=STARTED,
        benchmarks="results/benchmarks",
        code=code_of(SCRIPTS / "manifest.py"),
    script:
        "../scripts/manifest.py"


rule verify:
    input:
        runs="results/runs.parquet",
        verdicts="results/verdicts.csv",
        expected=beside("tests/expected/results.json"),
    output:
        differences="results/verify.csv",
    log:
        "results/logs/verify.log",
    benchmark:
        "results/benchmarks/verify.tsv"
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_of(SCRIPTS / "verify.py"),
    script:
        "../scripts/verify.py"
