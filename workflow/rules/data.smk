# Data: external files, fetched once, verified, or replaced by marked stand-ins; and blocks of replicates.


# Where the workflow is started, which is where the internet is.
localrules:
    fetch,
    provenance,
    data,


rule fetch:
    output:
        # Of the files beside it, with their checksums: a copied folder has the same record, and so reruns nothing.
        record="results/data/sources/{source}/provenance.json",
    log:
        "results/logs/fetch/{source}.log",
    benchmark:
        "results/benchmarks/fetch/{source}.tsv"
    priority: FIRST
    conda:
        "../../envs/environment.yaml"
    params:
        planned=lambda wildcards: steps.plan_of(wildcards.source),
        code=lambda wildcards: steps.fetch_code(wildcards.source),
        unreachable=UNREACHABLE,
        # What was verified once stays here, though the folder is made anew.
        kept="results/data/verified",
    script:
        "../scripts/fetch.py"


rule provenance:
    input:
        records=expand("results/data/sources/{source}/provenance.json", source=steps.external),
    output:
        provenance="results/provenance.json",
    log:
        "results/logs/provenance.log",
    benchmark:
        "results/benchmarks/provenance.tsv"
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_of(SCRIPTS / "provenance.py"),
    script:
        "../scripts/provenance.py"


rule data:
    input:
        "results/provenance.json",


rule prepare:
    input:
        records=lambda wildcards: steps.records(wildcards.experiment),
        files=lambda wildcards: steps.own_files(wildcards.experiment),
    output:
        data="results/data/{experiment}/{block}.npz",
        facts="results/data/{experiment}/{block}_facts.csv",
        arrays="results/data/{experiment}/{block}_facts.npz",
    log:
        "results/logs/prepare/{experiment}/{block}.log",
    benchmark:
        "results/benchmarks/prepare/{experiment}/{block}.tsv"
    priority: FIRST - 1
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: steps.prepare_job(wildcards.experiment, wildcards.block),
        code=lambda wildcards: steps.prepare_code(wildcards.experiment),
    script:
        "../scripts/prepare.py"
