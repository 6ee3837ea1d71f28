# Speed against other solvers: `snakemake --cores 1 bench`; tens of minutes, and no part of `all`.
#
# The peers need other versions than the workflow, so they have an environment of their own. With `--sdm conda` it is
# envs/bench.yaml. Else it is the .venv-bench beside the Makefile, which builds it from envs/bench.txt when needed. R's
# glmnet is taken where it is on the PATH; every peer that is missing is skipped with the reason, as are real data that
# could not be fetched. The variable SHIFTLR_BENCH may hold options, such as "--quick" or "--only svm".

from snakemake.settings.types import DeploymentMethod

WITH_CONDA = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
PEERS = beside(".venv-bench/.installed")


# What is timed should have the machine for itself, and not wait in a queue.
localrules:
    peers,
    bench,


rule peers:
    input:
        lock=beside("envs/bench.txt"),
    output:
        stamp=PEERS,
    log:
        "results/logs/peers.log",
    conda:
        "../../envs/environment.yaml"
    params:
        root=lambda wildcards, input: Path(input.lock).parents[1],
    shell:
        "make --directory {params.root} .venv-bench/.installed > {log} 2>&1"


rule bench:
    input:
        peers=[] if WITH_CONDA else PEERS,
        records=expand("results/data/sources/{source}/provenance.json", source=["alon1999", "conll2003"]),
    output:
        rows="results/bench/results.csv",
        summary="results/bench/summary.csv",
        md="results/bench/summary.md",
        tex="results/bench/summary.tex",
    log:
        "results/logs/bench.log",
    conda:
        "../../envs/bench.yaml"
    threads: lambda wildcards: workflow.cores  # so that no other job runs beside it
    params:
        python="python" if WITH_CONDA else beside(".venv-bench/bin/python"),
        packages=beside("workflow"),
        options=os.environ.get("SHIFTLR_BENCH", ""),
        folder=subpath(output.summary, parent=True),
        code=code_of("shiftbench.speed.command"),
    shell:
        "PYTHONPATH={params.packages} {params.python} -m shiftbench.speed --folder {params.folder} {params.options}"
        " 2>&1 | tee {log}"
