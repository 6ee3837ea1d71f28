# Runs: every method on every block of replicates, and all rows of an experiment in one table.


localrules:
    compile,
    combine,


rule compile:
    output:
        stamp="results/kernels.json",
    log:
        "results/logs/compile.log",
    benchmark:
        "results/benchmarks/compile.tsv"
    priority: FIRST
    conda:
        "../../envs/environment.yaml"
    params:
        kernels=launch.kernels.fingerprint(),
    script:
        "../scripts/compile.py"


rule fit:
    input:
        data="results/data/{experiment}/{block}.npz",
        chosen=lambda wildcards: steps.chosen_by(wildcards),
        kernels=ancient("results/kernels.json"),
    output:
        rows="results/runs/{experiment}/{method}/{block}.csv",
        arrays="results/runs/{experiment}/{method}/{block}.npz",
    log:
        "results/logs/fit/{experiment}/{method}/{block}.log",
    benchmark:
        "results/benchmarks/fit/{experiment}/{method}/{block}.tsv"
    priority: lambda wildcards: steps.fit_priority(wildcards.experiment)
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: steps.fit_job(wildcards),
        code=lambda wildcards: steps.fit_code(wildcards),
    script:
        "../scripts/fit.py"


rule combine:
    input:
        rows=lambda wildcards: steps.rows_of(wildcards.experiment),
        arrays=lambda wildcards: [path[:-3] + "npz" for path in steps.rows_of(wildcards.experiment)],
    output:
        table="results/runs/{experiment}.parquet",
        arrays="results/runs/{experiment}.npz",
    log:
        "results/logs/combine/{experiment}.log",
    benchmark:
        "results/benchmarks/combine/{experiment}.tsv"
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_of(SCRIPTS / "combine.py"),
    script:
        "../scripts/combine.py"
