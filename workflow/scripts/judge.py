"""All runs in one table, and every published number and claim compared with ours."""

from shiftbench.run.job import start

start(snakemake)

import json
from pathlib import Path

from shiftbench.files import write_text
from shiftbench.present import formats
from shiftbench.present.not_reproduced import read_reasons, reasons_by_id
from shiftbench.present.verdicts_page import short_table, summary, verdict_table
from shiftbench.runs import read_runs, write_table
from shiftbench.verdicts.judge import judge, read_published

given, out, params = snakemake.input, snakemake.output, snakemake.params
published, runs = read_published(given.published), read_runs("results/runs", params.experiments)
verdicts, comparisons = judge(published, runs, params.resamples, params.quick)
provenance = json.loads(Path(given.provenance).read_text(encoding="utf-8"))
write_table(out.runs, runs.table)
write_text(out.verdicts, formats.to_csv(verdicts))
write_text(out.comparisons, formats.to_csv(comparisons))
write_text(out.summary, summary(verdicts, published, provenance, bool(params.quick), runs.table))
reasons = reasons_by_id(list(verdicts["id"]), read_reasons(given.reasons))
formats.write(verdict_table(verdicts, published, reasons), html=out.page)
formats.write(short_table(verdicts, published), tex=out.tex)
