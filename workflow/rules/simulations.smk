# Simulated experiments: draw the data, train every method on them, and collect the rows.


localrules:
    combine,


rule simulate:
    input:
        sources=sources("datasets/simulate.py"),
    output:
        data="results/data/simulated/{experiment}/{scenario}/{first}-{last}.npz",
    log:
        "results/logs/simulate/{experiment}/{scenario}/{first}-{last}.log",
    benchmark:
        "results/benchmarks/simulate/{experiment}/{scenario}/{first}-{last}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(2),
    params:
        scenario=lambda wildcards: data_settings(scenario_of(wildcards)),
        seed=config["seed"],
    script:
        "../scripts/simulate.py"


rule train:
    input:
        data="results/data/simulated/{experiment}/{scenario}/{first}-{last}.npz",
        method=method_source,
        shared=sources(*TRAINING_MODULES),
    output:
        rows="results/runs/{experiment}/{scenario}/{method}/{first}-{last}.csv",
    log:
        "results/logs/train/{experiment}/{scenario}/{method}/{first}-{last}.log",
    benchmark:
        "results/benchmarks/train/{experiment}/{scenario}/{method}/{first}-{last}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(training_minutes),
    params:
        method=lambda wildcards: untitled(config["methods"][wildcards.method]),
        tuning=lambda wildcards: tuning_settings(scenario_of(wildcards)),
    script:
        "../scripts/train.py"


rule combine:
    input:
        rows=rows_of_all_runs,
    output:
        runs="results/runs.parquet",
    log:
        "results/logs/combine.log",
    benchmark:
        "results/benchmarks/combine.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    script:
        "../scripts/combine.py"
