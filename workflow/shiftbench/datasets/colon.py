"""Colon-cancer microarrays (Alon et al. 1999): 62 tissues, 2000 genes, nine tissues whose labels are suspected.

`I2000.txt` holds a row of 62 intensities for each gene, `tissue.txt` the patient of each tissue, negative for a tumour.
Tissues are named after their patients: -2 is T2, the tumour of patient 2, and 34 is N34.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftbench.datasets.base import Part
from shiftbench.fetch.record import is_standin

SOURCES = ("alon1999",)
DEFAULTS = {"log": False, "per_array": False, "per_gene": True}  # what is done to the intensities, in this order
LABELS = np.array(["normal", "tumour"])
SUSPECTS = ("T2", "T30", "T33", "T36", "T37", "N8", "N12", "N34", "N36")
FOUND_BY_THE_REPORT = ("T30", "T33", "T36", "N8", "N12", "N34", "N36")
N_GENES, N_TUMOURS, N_NORMALS = 2000, 40, 22


def load(settings, rng):
    """All tissues to train on: there is no test set, and nobody knows the true labels."""
    folder = settings["folders"]["alon1999"]
    data = read(folder)
    X = preprocess(data.intensities, **{step: settings[step] for step in DEFAULTS})
    train = Part(X, data.labels, ids=data.samples, tags={"suspected": data.suspected, "published": data.published})
    return {"train": train, "about": {"origin": "standin" if is_standin(folder) else "report"}}


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    for step in DEFAULTS:
        if not isinstance(settings[step], bool):
            yield f"{step}: {settings[step]!r} must be true or false"


def list_suspects(found, settings):
    """The tissues that a method suspects, the most suspicious first, and whether each shift goes the right way.

    A shift moves a tissue towards the label it was given; so on a tumour that looks like normal tissue it is positive.
    """
    is_tumour = found["label"] == 1
    shift = found["suspicion"].where(is_tumour, -found["suspicion"])
    return found.assign(
        sample=found["id"],
        label=LABELS[found["label"]],
        shift=shift,
        suspect=found["suspected"],
        direction_ok=(shift > 0.0) == is_tumour,
    )[["sample", "label", "shift", "suspect", "direction_ok"]]


class Colon(NamedTuple):
    """Tissues in the file's order."""

    samples: np.ndarray  # names
    labels: np.ndarray  # 1 for a tumour
    intensities: np.ndarray  # (62, 2000)

    @property
    def suspected(self) -> np.ndarray:
        """Which tissues are among the nine."""
        return np.isin(self.samples, SUSPECTS)

    @property
    def published(self) -> np.ndarray:
        """Which tissues the report's robust model found."""
        return np.isin(self.samples, FOUND_BY_THE_REPORT)


def read(folder: str | Path) -> Colon:
    """The tissues of a folder with both files, or a ValueError that says what is wrong with which."""
    folder = Path(folder)
    patients = _numbers(folder / "tissue.txt").astype(int)
    counts = int((patients < 0).sum()), int((patients > 0).sum())
    if counts != (N_TUMOURS, N_NORMALS):
        raise ValueError(
            f"{folder / 'tissue.txt'}: {counts[0]} tumours and {counts[1]} normal tissues, "
            f"not {N_TUMOURS} and {N_NORMALS}; is it the file that workflow/sources.yaml names?"
        )
    intensities = _numbers(folder / "I2000.txt")
    n = len(patients)
    if intensities.size != N_GENES * n:
        raise ValueError(f"{folder / 'I2000.txt'}: {intensities.size} numbers, not {N_GENES} genes x {n} tissues")
    if not (intensities > 0.0).all():
        raise ValueError(f"{folder / 'I2000.txt'}: has intensities that are not positive")
    samples = np.array([f"T{-patient}" if patient < 0 else f"N{patient}" for patient in patients])
    missing = sorted(set(SUSPECTS) - set(samples.tolist()))
    if missing:
        raise ValueError(f"{folder / 'tissue.txt'}: has no {', '.join(missing)}")
    return Colon(samples, (patients < 0).astype(int), np.ascontiguousarray(intensities.reshape(N_GENES, n).T))


def _numbers(path):
    try:
        return np.array(path.read_text(encoding="utf-8").split(), dtype=float)
    except ValueError as error:
        raise ValueError(f"{path}: is not a text file of numbers: {error}") from None


def preprocess(intensities: np.ndarray, *, log: bool, per_array: bool, per_gene: bool) -> np.ndarray:
    """Logarithms, then every array and then every gene brought to mean 0 and standard deviation 1, as asked for."""
    X = np.log(intensities) if log else intensities.astype(float)
    if per_array:
        X = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)
    if per_gene:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X


def write_standin(folder: str | Path, seed: int = 1999) -> None:
    """Both files with made-up tissues: log-normal, genes in correlated blocks, the nine suspects truly mislabelled."""
    rng = np.random.default_rng(seed)
    patients = [-patient for patient in range(1, N_TUMOURS + 1)] + [*range(1, 13), *range(22, 30), 34, 36]
    names = [f"T{-patient}" if patient < 0 else f"N{patient}" for patient in patients]
    is_tumour = (np.array(patients) < 0) ^ np.isin(names, SUSPECTS)
    block_size, n = 20, len(patients)
    blocks = rng.normal(size=(N_GENES // block_size, n))
    shifted = rng.choice(len(blocks), 12, replace=False)  # blocks of genes that differ between tumours and the rest
    blocks[shifted] += np.where(is_tumour, 0.7, -0.7) * rng.choice([-1.0, 1.0], (len(shifted), 1))
    logs = 0.6 * np.repeat(blocks, block_size, axis=0) + 0.5 * rng.normal(size=(N_GENES, n))
    logs += rng.normal(6.0, 1.2, (N_GENES, 1)) + rng.normal(0.0, 0.2, n)
    folder = Path(folder)
    lines = [" ".join(f"{value:.7e}" for value in row) for row in np.exp(logs)]
    (folder / "I2000.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "tissue.txt").write_text("".join(f"{patient}\n" for patient in patients), encoding="utf-8")
