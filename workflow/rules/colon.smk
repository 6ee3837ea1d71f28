# Section 4.2: which tissues look mislabelled to each method.


localrules:
    tabulate_suspects,
    plot_suspects,


rule detect:
    input:
        folder="results/data/sources/alon1999",
        methods=colon_methods,
        shared=sources("suspects.py", "datasets/colon.py", *TRAINING_MODULES),
    output:
        rows="results/colon/rows/{row}.csv",
    log:
        "results/logs/detect/{row}.log",
    benchmark:
        "results/benchmarks/detect/{row}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(5),
    params:
        row=lambda wildcards: untitled(colon_row(config, wildcards.row)),
        colon={key: config["colon"][key] for key in COLON_SETTINGS if key != "resamples"},
    script:
        "../scripts/detect.py"


rule map_suspects:
    input:
        folder="results/data/sources/alon1999",
        rows=f"results/colon/rows/{config['colon']['default']}.csv",
        shared=sources("suspects.py", "datasets/colon.py", "methods/robust.py", *TRAINING_MODULES),
    output:
        map="results/colon/map.csv",
        stability="results/colon/stability.csv",
        suspects="results/colon/suspects.csv",
        facts="results/colon/facts.csv",
    log:
        "results/logs/map_suspects.log",
    benchmark:
        "results/benchmarks/map_suspects.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(5),
    params:
        preprocessing=config["colon"]["preprocessing"],
        colon={key: config["colon"][key] for key in COLON_SETTINGS if key != "restarts"},
    script:
        "../scripts/map_suspects.py"


rule tabulate_suspects:
    input:
        folder="results/data/sources/alon1999",
        rows=expand("results/colon/rows/{row}.csv", row=COLON_ROWS),
        literature="workflow/report/literature.csv",
        sources=sources("suspect_tables.py", "suspects.py", "formats.py"),
    output:
        tables=expand("results/tables/{table}.{kind}", table=COLON_TABLES, kind=["tex", "csv", "md"]),
        table2=report(
            "results/tables/table2.html",
            caption="../report/table2.rst",
            category="2. Section 4.2",
            labels={"what": "table", "name": "table2"},
        ),
        preprocessing=report(
            "results/tables/preprocessing.html",
            caption="../report/preprocessing.rst",
            category="2. Section 4.2",
            labels={"what": "table", "name": "preprocessing"},
        ),
    log:
        "results/logs/tabulate_suspects.log",
    benchmark:
        "results/benchmarks/tabulate_suspects.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        config_sha256=fingerprint(config["colon"]),
    script:
        "../scripts/tabulate_suspects.py"


rule plot_suspects:
    input:
        folder="results/data/sources/alon1999",
        rows=f"results/colon/rows/{config['colon']['default']}.csv",
        map="results/colon/map.csv",
        stability="results/colon/stability.csv",
        style="workflow/report/shiftlr.mplstyle",
        sources=sources("suspect_figures.py", "figures.py"),
    output:
        map_pdf="results/figures/colon_map.pdf",
        map_png=report(
            "results/figures/colon_map.png",
            caption="../report/colon_map.rst",
            category="2. Section 4.2",
            labels={"what": "figure", "name": "colon_map"},
        ),
        stability_pdf="results/figures/colon_stability.pdf",
        stability_png=report(
            "results/figures/colon_stability.png",
            caption="../report/colon_stability.rst",
            category="2. Section 4.2",
            labels={"what": "figure", "name": "colon_stability"},
        ),
    log:
        "results/logs/plot_suspects.log",
    benchmark:
        "results/benchmarks/plot_suspects.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    script:
        "../scripts/plot_suspects.py"
