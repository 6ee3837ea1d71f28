# Sections 4.3 and 4.4, appendix B: is this word a person? Training sets with noisy labels, every method on each of them.


localrules:
    evaluate_words,
    tabulate_words,
    list_suspects,
    plot_words,
    combine_curve,


rule label_words:
    input:
        conll="results/data/sources/conll2003",
        annie="results/data/sources/annie",
        names="results/data/sources/names",
        crowd="results/data/sources/crowd2014",
        sources=sources(*NER_DATA_MODULES),
    output:
        words="results/ner/data/{labels}.npz",
        names="results/ner/data/{labels}_features.txt.gz",
        about="results/ner/data/{labels}.json",
    log:
        "results/logs/label_words/{labels}.log",
    benchmark:
        "results/benchmarks/label_words/{labels}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1500),
        runtime=growing(5),
    params:
        ner={key: config["ner"][key] for key in ("seed", "rules")},
        labels=lambda wildcards: untitled(config["ner"]["labels"][wildcards.labels]),
    script:
        "../scripts/label_words.py"


rule train_words:
    input:
        words="results/ner/data/{labels}.npz",
        method=method_source,
        shared=sources("recognition.py", "metrics.py", "datasets/words.py", *TRAINING_MODULES),
        chosen=ner_parameters,
    output:
        about="results/ner/runs/{labels}/{method}.json",
        arrays="results/ner/runs/{labels}/{method}.npz",
    log:
        "results/logs/train_words/{labels}/{method}.log",
    benchmark:
        "results/benchmarks/train_words/{labels}/{method}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(2500),
        runtime=growing(10),
    params:
        method=lambda wildcards: ner_method(config, wildcards.method),
        ner={key: config["ner"][key] for key in [*NER_TUNING, "final_tol"]},
        labels=lambda wildcards: untitled(config["ner"]["labels"][wildcards.labels]),
    script:
        "../scripts/train_words.py"


rule thin_features:
    input:
        words=f"results/ner/data/{config['ner']['thinning']['labels']}.npz",
        chosen=f"results/ner/runs/{config['ner']['thinning']['labels']}/standard.json",
        about=f"results/ner/data/{config['ner']['thinning']['labels']}.json",
        shared=sources(
            *("thinning.py", "recognition.py", "metrics.py", "datasets/words.py"),
            *("methods/flipping.py", "methods/standard.py"),
            *TRAINING_MODULES,
        ),
    output:
        rows="results/ner/thinning.csv",
    log:
        "results/logs/thin_features.log",
    benchmark:
        "results/benchmarks/thin_features.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(2500),
        runtime=growing(5),
    params:
        ner={key: config["ner"][key] for key in ("seed", "tol", "thinning")},
    script:
        "../scripts/thin_features.py"


rule flip_words:
    input:
        words="results/ner/data/gold.npz",
        names="results/ner/data/gold_features.txt.gz",
        method=method_source,
        shared=sources("noise_curve.py", "recognition.py", "metrics.py", "datasets/words.py", *TRAINING_MODULES),
        chosen=ner_curve_parameters,
    output:
        rows="results/ner/curve/{kind}/{method}.json",
    log:
        "results/logs/flip_words/{kind}/{method}.log",
    benchmark:
        "results/benchmarks/flip_words/{kind}/{method}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(2500),
        runtime=growing(10),
    params:
        method=lambda wildcards: ner_method(config, wildcards.method),
        ner={key: config["ner"][key] for key in [*NER_TUNING, "curve"]},
    script:
        "../scripts/flip_words.py"


rule find_label_errors:
    input:
        conll="results/data/sources/conll2003",
        crowd="results/data/sources/crowd2014",
        words="results/ner/data/{labels}.npz",
        about="results/ner/data/{labels}.json",
        runs=lambda wildcards: ner_runs(wildcards.labels),
        arrays=lambda wildcards: ner_runs(wildcards.labels, "npz"),
        sources=sources("label_errors.py", "evaluation.py", "methods/standard.py", *NER_DATA_MODULES),
    output:
        errors="results/ner/label_errors/{labels}.csv",
        suspects="results/ner/label_errors/{labels}_suspects.csv",
    log:
        "results/logs/find_label_errors/{labels}.log",
    benchmark:
        "results/benchmarks/find_label_errors/{labels}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(2500),
        runtime=growing(5),
    params:
        ner={key: config["ner"][key] for key in ("seed", "folds", "tol", "ks")},
    script:
        "../scripts/find_label_errors.py"


rule evaluate_words:
    input:
        conll="results/data/sources/conll2003",
        words=expand("results/ner/data/{labels}.npz", labels=NER_LABELS),
        about=expand("results/ner/data/{labels}.json", labels=NER_LABELS),
        runs=[path for labels in NER_LABELS for path in ner_runs(labels)],
        arrays=[path for labels in NER_LABELS for path in ner_runs(labels, "npz")],
        sources=sources("evaluation.py", "metrics.py", "datasets/words.py"),
    output:
        scores="results/ner/scores.csv",
        differences="results/ner/differences.csv",
        facts="results/ner/facts.csv",
        test="results/ner/test.json",
    log:
        "results/logs/evaluate_words.log",
    benchmark:
        "results/benchmarks/evaluate_words.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        ner={key: config["ner"][key] for key in ("seed", "resamples")},
        labels=NER_LABELS,
        methods=ner_methods(config),
    script:
        "../scripts/evaluate_words.py"


rule tabulate_words:
    input:
        about=expand("results/ner/data/{labels}.json", labels=NER_LABELS),
        test="results/ner/test.json",
        scores="results/ner/scores.csv",
        differences="results/ner/differences.csv",
        thinning="results/ner/thinning.csv",
        errors=expand("results/ner/label_errors/{labels}.csv", labels=NER_SUSPECTS),
        published="workflow/report/published.csv",
        sources=sources("recognition_tables.py", "formats.py", "tables.py", "config.py", "evaluation.py", "verdicts.py"),
    output:
        tex="results/tables/{table}.tex",
        csv="results/tables/{table}.csv",
        md="results/tables/{table}.md",
        html=report(
            "results/tables/{table}.html",
            caption="../report/ner_table.rst",
            category=ner_category,
            labels={"what": "table", "name": "{table}"},
        ),
    log:
        "results/logs/tabulate_words/{table}.log",
    benchmark:
        "results/benchmarks/tabulate_words/{table}.tsv"
    wildcard_constraints:
        table="|".join(NER_TABLES) or "none",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        config_sha256=fingerprint({key: config[key] for key in ("also", "methods", "ner")}),
    script:
        "../scripts/tabulate_words.py"


rule list_suspects:
    input:
        suspects=lambda wildcards: f"results/ner/label_errors/{NER_WHOSE[wildcards.who]}_suspects.csv",
        about=lambda wildcards: f"results/ner/data/{NER_WHOSE[wildcards.who]}.json",
        sources=sources("recognition_tables.py", "formats.py"),
    output:
        csv="results/ner/suspects_{who}.csv",
        html=report(
            "results/ner/suspects_{who}.html",
            caption="../report/ner_suspects.rst",
            category="3. Sections 4.3 and 4.4",
            labels={"what": "suspects in context", "name": "{who}"},
        ),
    log:
        "results/logs/list_suspects/{who}.log",
    benchmark:
        "results/benchmarks/list_suspects/{who}.tsv"
    wildcard_constraints:
        who="|".join(NER_WHOSE) or "none",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    script:
        "../scripts/list_suspects.py"


rule plot_words:
    input:
        words=expand("results/ner/data/{labels}.npz", labels=NER_SUSPECTS),
        about=expand("results/ner/data/{labels}.json", labels=NER_SUSPECTS + ["gold"] * bool(NER_CURVE)),
        runs=[path for labels in NER_SUSPECTS for path in ner_runs(labels)],
        arrays=[path for labels in NER_SUSPECTS for path in ner_runs(labels, "npz")],
        errors=expand("results/ner/label_errors/{labels}.csv", labels=NER_SUSPECTS),
        curve=[NER_CURVE] if NER_CURVE else [],
        style="workflow/report/shiftlr.mplstyle",
        sources=sources("recognition_figures.py", "figures.py", "evaluation.py", "metrics.py"),
    output:
        pdf="results/figures/{figure}.pdf",
        png=report(
            "results/figures/{figure}.png",
            caption="../report/ner_figure.rst",
            category="3. Sections 4.3 and 4.4",
            labels={"what": "figure", "name": "{figure}"},
        ),
    log:
        "results/logs/plot_words/{figure}.log",
    benchmark:
        "results/benchmarks/plot_words/{figure}.tsv"
    wildcard_constraints:
        figure="|".join(NER_FIGURES) or "none",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        titles=ner_titles(),
    script:
        "../scripts/plot_words.py"


rule combine_curve:
    input:
        rows=ner_curve_rows,
        about="results/ner/data/gold.json",
        sources=sources("noise_curve.py", "metrics.py"),
    output:
        curve="results/ner/noise_curve.csv",
    log:
        "results/logs/combine_curve.log",
    benchmark:
        "results/benchmarks/combine_curve.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        ner={key: config["ner"][key] for key in ("seed", "resamples")},
    script:
        "../scripts/combine_curve.py"
