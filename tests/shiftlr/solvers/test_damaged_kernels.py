"""Whatever happens to files of compiled kernels: they are compiled anew, and the files are whole again."""

import os
from random import Random

import pytest
from kernel_package import AFTERWARDS, make_package, run
from shiftlr import kernels
from shiftlr.solvers import _kernel_cache

# In one process: a new import of the kernels knows nothing of what was loaded before.
FUZZ = """
import importlib, os, pickle, random, sys
from pathlib import Path
import numba, numpy

random = random.Random(int(sys.argv[1]))
folder = Path("shiftlr/solvers/__pycache__")

def truncate(path):
    contents = path.read_bytes()
    path.write_bytes(contents[: random.randrange(len(contents))])

def flip(path, most=1):
    contents = bytearray(path.read_bytes())
    for _ in range(random.randint(1, most)):
        contents[random.randrange(len(contents))] ^= 1 << random.randrange(8)
    path.write_bytes(contents)

def flip_many(path):
    flip(path, 1000)

def flip_at_the_beginning(path):
    contents = bytearray(path.read_bytes())
    contents[random.randrange(80)] = random.randrange(256)
    path.write_bytes(contents)

def noise(path):
    path.write_bytes(random.randbytes(path.stat().st_size))

def short_noise(path):
    path.write_bytes(random.randbytes(random.randrange(100)))

def zeros(path):  # as a file system may leave what was not yet written when the power went
    contents = path.read_bytes()
    at = random.randrange(len(contents))
    path.write_bytes(contents[:at] + bytes(len(contents) - at))

def empty(path):
    path.write_bytes(b"")

def append(path):
    path.write_bytes(path.read_bytes() + random.randbytes(1))

def another_pickle(path):
    path.write_bytes(pickle.dumps(random.choice([{}, None, "text", 0, (), numba.__version__])))

def numbas_own(path):
    path.write_bytes(pickle.dumps(numba.__version__) + pickle.dumps(("stamp", {})))

def swap(path):
    other = random.choice([one for one in folder.glob("*.nb?") if one != path])
    path.write_bytes(other.read_bytes()) if random.random() < 0.5 else exchange(path, other)

def exchange(path, other):
    path.rename("aside"), other.rename(path), Path("aside").rename(other)

def lose(path):
    path.unlink()

def loop(path):  # a file that cannot be opened, even by root
    path.unlink()
    path.symlink_to(path.name)

def fresh():
    for name in ("double", "times"):
        sys.modules.pop(f"shiftlr.solvers.{name}", None)
    found = [getattr(importlib.import_module(f"shiftlr.solvers.{name}"), name) for name in ("double", "times")]
    for one in found:
        assert one(2) == 4 and one(2.5) == 5.0
    return sum(sum(one.stats.cache_hits.values()) for one in found)

fresh()
assert fresh() == 4 and len(list(folder.glob("*.nb?"))) == 6  # two kernels, each with an index and two types
kinds = [value for value in list(globals().values()) if callable(value) and value.__module__ == "__main__"]
kinds = [kind for kind in kinds if kind not in (fresh, exchange)]
missed = 0
for attempt in range(int(sys.argv[2])):
    kind = kinds[attempt % len(kinds)]
    for path in random.sample(sorted(folder.glob("*.nb?")), random.choice([1, 1, 1, 2, 6])):
        print(attempt, kind.__name__, path.name, file=sys.stderr, flush=True)
        kind(path)
    missed += fresh() < 4
    if fresh() != 4:
        sys.exit("the cache has not healed")
print(len(kinds), missed)
"""


@pytest.fixture
def package(tmp_path):
    return make_package(tmp_path)


def test_damaged_files_are_replaced(package):
    kinds, missed = map(int, run(package, FUZZ, "0", "112").split())
    assert kinds == 14 and missed > 100


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_no_damage_to_a_file_goes_unnoticed(tmp_path, monkeypatch, kind):
    """Every length, and every byte changed, at the beginning too, where the checksum stands."""
    monkeypatch.setattr(kernels, "fingerprint", lambda: "ours")
    files = _kernel_cache._Files(str(tmp_path), "kernel", "ours")
    files.save("key", ["compiled"])
    (path,) = tmp_path.glob(f"*.{kind}")
    whole, random = path.read_bytes(), Random(0)
    damaged = [whole[:length] for length in range(len(whole))]
    for at, byte in enumerate(whole):
        damaged += [whole[:at] + bytes([other]) + whole[at + 1 :] for other in {0, 255, byte ^ 1, byte ^ 128} - {byte}]
    damaged += [random.randbytes(random.randrange(300)) for _ in range(300)]
    for contents in damaged:
        path.write_bytes(contents)
        assert files.load("key") is None
    files.save("key", ["compiled"])
    assert files.load("key") == ["compiled"] and path.read_bytes() == whole


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_directory_in_the_place_of_a_file_is_left_alone(package, kind):
    assert run(package, AFTERWARDS) == "4 5.0 0"
    for path in package.rglob(f"double*.{kind}"):
        path.unlink()
        path.mkdir()
        (path / "something").touch()
    assert run(package, AFTERWARDS) == run(package, AFTERWARDS) == "4 5.0 0"


def test_what_cannot_be_unpickled_or_used_is_replaced(package):
    """With a checksum that is right: the file is whole, but what made it has changed."""
    for content in ("GoneFromHere", "'no compiled kernel'"):
        save = f"""
import pickle
from shiftlr.solvers import _kernel_cache
class GoneFromHere: pass
plain = _kernel_cache._Files._write
def write(self, name, content):
    plain(self, name, {content} if name.endswith("nbc") else content)
_kernel_cache._Files._write = write
_kernel_cache._Files._dump = staticmethod(pickle.dumps)
"""
        assert run(package, save + AFTERWARDS).endswith(" 0")
        assert run(package, AFTERWARDS) == "4 5.0 0"
        assert run(package, AFTERWARDS) == "4 5.0 2"
        for path in package.rglob("*.nb?"):
            path.unlink()


@pytest.mark.parametrize(
    ("when", "asked_for"),
    [(4_000_000_000, False), (4_000_000_000, True), (0, False), (-86_400, True)],
    ids=["in the future", "in the future, in a folder", "at 1970", "before 1970"],
)
def test_the_date_of_a_source_file_does_not_count(package, when, asked_for):
    variables = {"NUMBA_CACHE_DIR": str(package / "folder")} if asked_for else {}
    for path in package.rglob("*.py"):
        os.utime(path, (when, when))
    assert run(package, AFTERWARDS, **variables) == "4 5.0 0"
    assert run(package, AFTERWARDS, **variables, PYTHONDONTWRITEBYTECODE="") == "4 5.0 2"
    os.utime(package / "shiftlr" / "solvers" / "times.py", (when + 5, when + 5))
    assert run(package, AFTERWARDS, **variables) == "4 5.0 2"
