"""Compare every published number and claim with ours."""

import json
import sys
from pathlib import Path

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import pandas as pd
from shiftlr import formats
from shiftlr.files import write_text
from shiftlr.tables import summary, verdict_table
from shiftlr.verdicts import judge, read_facts, read_published

published = read_published(snakemake.input.published)
verdicts, comparisons = judge(
    published,
    pd.read_parquet(snakemake.input.runs),
    read_facts(snakemake.input.facts),
)
provenance = json.loads(Path(snakemake.input.provenance).read_text())
write_text(snakemake.output.verdicts, verdicts.to_csv(index=False))
write_text(snakemake.output.comparisons, comparisons.to_csv(index=False))
write_text(snakemake.output.summary, summary(verdicts, published, provenance))
formats.write(verdict_table(verdicts, published), html=snakemake.output.page)
