# External files: fetched once, verified, or replaced by marked stand-ins. They are described in sources.yaml.


# Where the workflow is started, which is where the internet is.
localrules:
    fetch,
    provenance,
    data,


rule fetch:
    input:
        standin=lambda wildcards: sources(f"datasets/{external_modules[wildcards.source]}.py"),
    output:
        folder=directory("results/data/sources/{source}"),
    log:
        "results/logs/fetch/{source}.log",
    benchmark:
        "results/benchmarks/fetch/{source}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        planned=lambda wildcards: plan_of(wildcards.source),
        unreachable=UNREACHABLE,
        # Snakemake deletes the folder before it is made anew; what was verified once stays here.
        kept="results/data/verified",
    script:
        "../scripts/fetch.py"


rule provenance:
    input:
        folders=expand("results/data/sources/{source}", source=SOURCES),
    output:
        provenance="results/provenance.json",
    log:
        "results/logs/provenance.log",
    benchmark:
        "results/benchmarks/provenance.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    script:
        "../scripts/provenance.py"


rule data:
    input:
        "results/provenance.json",
