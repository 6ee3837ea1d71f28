"""The methods: one file, one class each, found by the file's name.

A method is a classifier of two classes as scikit-learn has them: `fit(X, y)`, `predict(X)`, parameters that `__init__`
only stores. To add one, put a file here, or into a folder of your own that is passed as one of `folders`; a file whose
name begins with an underscore is no method. A class may say over which values its parameters are tuned unless told
otherwise, in the order of preference on a tie:

    grid = {"k": [1, 3, 5]}

and, if it is a `LogisticClassifier` that solves the profiled logistic loss, that settings of `alpha` and `lam` are
solved as one warm-started path:

    path_parameters = ("lam", "alpha")

A class may have a method `check_params()` that raises a ValueError, `name=value: what is allowed`, for parameters that
it does not take. It needs no data: so the benchmark asks it about every setting of a config before it runs anything.
"""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).parent
_SHARED = ("base",)
_PLUGINS = "shiftlr_plugins.methods"  # the package that files in other folders are imported as parts of

Folders = Iterable[str | PathLike[str]]


def known(folders: Folders = ()) -> list[str]:
    """The names of all methods, those of the files in `folders` included."""
    return sorted(_files(folders))


def file_of(name: str, folders: Folders = ()) -> Path:
    """The file that defines the method called `name`."""
    files = _files(folders)
    if name not in files:
        places = ", ".join(dict.fromkeys(f"{path.parent.name}/" for path in files.values()))
        raise ValueError(f"method {name!r} is not known; known are {', '.join(sorted(files))} (files in {places})")
    return files[name]


def load(name: str, folders: Folders = ()) -> type:
    """The class of the method called `name`.

    Examples
    --------
    >>> from shiftlr import methods
    >>> methods.load("robust")
    <class 'shiftlr.methods.robust.RobustLogisticRegression'>
    """
    from sklearn.base import BaseEstimator

    path = file_of(name, folders)
    module = importlib.import_module(f"{__name__}.{name}") if path.parent == _FOLDER else _import_plugin(path)
    classes = [
        member
        for member in vars(module).values()
        if inspect.isclass(member) and member.__module__ == module.__name__ and issubclass(member, BaseEstimator)
    ]
    if len(classes) != 1:
        found = ", ".join(member.__name__ for member in classes) or "none"
        raise ValueError(f"{path.parent.name}/{path.name}: must define exactly one estimator class, found {found}")
    return classes[0]


def _files(folders: Folders) -> dict[str, Path]:
    """The file of each method; a name that two files have is an error."""
    if isinstance(folders, str | PathLike):
        raise ValueError(f"folders={folders!r}: must be a list of folders")
    files: dict[str, Path] = {}
    for folder in dict.fromkeys([_FOLDER, *(Path(given).resolve() for given in folders)]):
        if not folder.is_dir():
            raise ValueError(f"{folder}: there is no such folder of methods")
        for path in sorted(folder.glob("*.py")):
            if path.stem.startswith("_") or path.stem in _SHARED:
                continue
            if path.stem in files:
                raise ValueError(f"method {path.stem!r} has two files, {files[path.stem]} and {path}; rename one")
            files[path.stem] = path
    return files


def _import_plugin(path: Path) -> ModuleType:
    """The module of a file outside the library, known to pickle by its name."""
    for package in (_PLUGINS.partition(".")[0], _PLUGINS):
        if package not in sys.modules:
            sys.modules[package] = ModuleType(package)
            sys.modules[package].__path__ = []
    return import_file(path, f"{_PLUGINS}.{path.stem}")


def import_file(path: Path, name: str) -> ModuleType:
    """The module of a file outside of any package, imported once per process under a name."""
    known_module = sys.modules.get(name)
    if known_module is not None and known_module.__file__ == str(path):
        return known_module
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path}: cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, SystemExit):  # it would end whoever imports it, with status 0 as if all were done
            raise ImportError(f"{path}: calls sys.exit({error.code!r}) when it is imported") from None
        raise
    return module
