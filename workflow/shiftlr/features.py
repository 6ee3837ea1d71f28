"""From a table as people have it to features: scikit-learn's transformers, chosen by what the columns hold."""

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

_WORDS_OF_TEXT = 3.0  # on average, from which a column of words is text and not a category


def make_transformer(X, text="auto"):
    """A transformer for X, not yet fitted, with names for all features that it makes.

    Numbers, flags and dates have missing values replaced by the median, with a column that tells where, and are scaled
    to unit variance. Other columns get a column of 0 and 1 for each value that occurs twice or more. Columns of text,
    which have three words or more on average, get the tf-idf of words and pairs of words. Sparse matrices are left as
    they are.

    Parameters
    ----------
    X : DataFrame, array or sparse matrix of numbers, or list or Series of texts
    text : "auto", or a list of the columns that hold text

    Returns
    -------
    ColumnTransformer, Pipeline or TextVectorizer. Change it as you like, and pass it to `find_label_errors`.

    Examples
    --------
    >>> import pandas as pd
    >>> from shiftlr.features import make_transformer
    >>> X = pd.DataFrame({"age": [31.0, None, 58.0], "plan": ["basic", "basic", "gold"]})
    >>> make_transformer(X).fit(X).get_feature_names_out().tolist()
    ['age', 'missingindicator_age', 'plan_basic', 'plan_infrequent_sklearn']
    """
    from sklearn.preprocessing import FunctionTransformer

    if is_frame(X):
        check_columns(X)
        return _for_frame(X, text)
    if is_texts(X):
        return _for_texts()
    if sparse.issparse(X):
        return FunctionTransformer(accept_sparse=True, feature_names_out="one-to-one")
    _check_array(X)
    return _for_numbers()


def is_frame(X):
    """Whether X is a table with named columns, as pandas has it."""
    return hasattr(X, "columns") and hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2


def is_texts(X):
    """Whether X is a sequence of texts, one for each example."""
    if isinstance(X, str | bytes) or sparse.issparse(X) or getattr(X, "ndim", 1) != 1:
        return False
    return len(X) > 0 and all(isinstance(one, str) for one in X)


def check_columns(X):
    """A ValueError that names columns whose values are all missing or all the same, or a name that is there twice."""
    names = X.columns
    if not names.is_unique:
        raise ValueError(f"X has the column {names[names.duplicated()][0]!r} twice; rename one")
    missing = [name for name in names if X[name].isna().all()]
    if missing:
        raise ValueError(f"X: all values are missing in {_listed(missing)}; drop such columns")
    constant = [name for name in names if X[name].isna().sum() == 0 and (X[name] == X[name].iloc[0]).all()]
    if constant:
        raise ValueError(f"X: all values are the same in {_listed(constant)}; drop such columns")


def _check_array(X):
    values = np.asarray(X)
    if values.ndim != 2 or values.dtype.kind not in "biufO":
        raise ValueError(
            f"X has the shape {values.shape} and the type {values.dtype}: must be a DataFrame, a matrix of numbers "
            "with one row per example, or a list of texts"
        )
    missing = np.flatnonzero(np.isnan(values.astype(float)).all(axis=0))
    if len(missing):
        raise ValueError(f"X: all values are missing in {_listed(missing.tolist())}; drop such columns")


def _listed(names):
    shown = ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
    return f"column {shown}" if len(names) == 1 else f"columns {shown}"


def _for_frame(X, text):
    """One transformer for the columns of each kind."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

    kinds = {name: _kind(X[name]) for name in X.columns}
    if not isinstance(text, str):
        unknown = [name for name in text if name not in kinds]
        if unknown:
            raise ValueError(f"text: X has no {_listed(unknown)}; it has {', '.join(map(repr, X.columns[:10]))}")
        kinds = {
            name: "text" if name in text else "category" if kind == "text" else kind for name, kind in kinds.items()
        }
    of_kind = {kind: [name for name in X.columns if kinds[name] == kind] for kind in set(kinds.values())}
    one_hot = OneHotEncoder(min_frequency=2, handle_unknown="infrequent_if_exist")
    as_words = FunctionTransformer(_as_words, feature_names_out="one-to-one")
    as_numbers = FunctionTransformer(_as_numbers, feature_names_out="one-to-one")
    steps = [
        ("numbers", _for_numbers(), of_kind.get("number", [])),
        ("dates", make_pipeline(as_numbers, _for_numbers()), of_kind.get("date", [])),
        ("categories", make_pipeline(as_words, one_hot), of_kind.get("category", [])),
        *((f"text of {name}", _for_texts(), name) for name in of_kind.get("text", [])),
    ]
    many = len(of_kind.get("text", [])) > 1  # then the same word may be in two of them
    return ColumnTransformer([step for step in steps if len(step[2])], verbose_feature_names_out=many)


def _kind(column):
    """ "number", "date", "category" or "text"."""
    if column.dtype.kind in "mM" or str(column.dtype).startswith(("datetime", "period", "timedelta")):
        return "date"
    if column.dtype.kind in "biufc" and str(column.dtype) != "category":
        return "number"
    words = [value for value in column if isinstance(value, str)]
    if str(column.dtype) != "category" and words and _mean_words(words) >= _WORDS_OF_TEXT:
        return "text"
    return "category"


def _mean_words(values):
    return sum(len(value.split()) for value in values) / len(values)


def _for_numbers():
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())


def _for_texts():
    return TextVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)


class TextVectorizer(TfidfVectorizer):
    """scikit-learn's, and a text that is missing has no words."""

    def decode(self, doc):
        return super().decode(doc) if isinstance(doc, str | bytes) else ""


def _as_words(X):
    """All values as words, so that columns of mixed types can be encoded; a missing value is one of its own."""
    return X.astype(object).where(X.notna(), "missing").astype(str)


def _as_numbers(X):
    """Dates and durations as days; missing ones as NaN."""
    import pandas as pd

    def days(column):
        if str(column.dtype).startswith("period"):
            column = column.dt.to_timestamp()
        if str(column.dtype).startswith("timedelta"):
            return column / pd.Timedelta(days=1)
        column = column.dt.tz_convert(None) if column.dt.tz is not None else column
        return (column - pd.Timestamp(0)) / pd.Timedelta(days=1)

    return X.apply(days)
