"""What a schema does not allow, in words; of use to every YAML file that has a schema."""

import re
import sys
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

LONGEST_NAME = 100  # names become parts of file names
_MOST_SHOWN = 200  # characters of a value in a message
_LONGEST = 1000  # characters of a message
_MOST_LINES = 50


def _is_number(_, value):
    """Neither .nan nor .inf: they could not be used for anything."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _fits_whole(_, pattern, value, schema):
    """A pattern speaks of the whole text: Python's `$` would let a line break follow."""
    if isinstance(value, str) and not re.fullmatch(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


# YAML's 5.0 is no whole number here.
_Validator = extend(
    Draft202012Validator,
    {"pattern": _fits_whole},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ).redefine("number", _is_number),
)


class ConfigError(ValueError):
    """Names the file, the key, the value and what is allowed, one line for each thing that is wrong."""


def violations(given: Any, schema: dict[str, Any], describe=None) -> list[str]:
    """What in `given` the schema does not allow, in its order; `describe` puts an error into words."""
    unreadable = list(_unreadable(given, ()))
    if unreadable:  # the schema's own checks take it for granted that keys are texts
        return unreadable
    errors = sorted(_Validator(schema).iter_errors(given), key=_place)
    return [(describe or describe_error)(error) for error in errors]


def _unreadable(value: Any, path: tuple) -> Iterator[str]:
    """Keys that YAML takes for something else than a text, and numbers that cannot be computed with."""
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        most = sys.float_info.max_exp
        yield f"{dotted(*path)}: a whole number of {value.bit_length()} bits; at most {most} can be computed with"
    elif isinstance(value, dict):
        for key, below in value.items():
            if not isinstance(key, str):
                yield f"{dotted(*path)}: the key {key!r} is no text for YAML; put it in quotes if it is meant as one"
            yield from _unreadable(below, (*path, key))
    elif isinstance(value, list | tuple):
        for place, below in enumerate(value):
            yield from _unreadable(below, (*path, place))


def _place(error):
    return [str(part) for part in error.absolute_path]


def dotted(*parts: object) -> str:
    """The keys that lead to a place, as a user would say it."""
    return ".".join(map(str, parts)) or "(top level)"


def shown(value: object) -> str:
    """A value in a message: no longer than a few lines, whatever it holds."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}... ({len(text)} characters)"


def few_lines(problems: list[str]) -> list[str]:
    """Messages to show, one line each: the first ones, and how many more there are."""
    lines = [_one_line(problem) for problem in problems[:_MOST_LINES]]
    more = len(problems) - len(lines)
    return [*lines, f"and {more} more"] if more else lines


def _one_line(problem):
    """A message on one line, however long the names and values in it are, and whatever signs they hold."""
    text = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in problem)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"


def describe_error(error) -> str:
    """A schema violation in our own words: key, value, what is allowed."""
    key, value, limit = dotted(*error.absolute_path), error.instance, error.validator_value
    if "propertyNames" in error.absolute_schema_path and error.validator in ("pattern", "maxLength"):
        return (
            f"{key}: {shown(value)} is no name; a name has lower-case letters, digits and _, begins with a letter, and "
            f"has at most {LONGEST_NAME} characters"
        )
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        unknown = sorted(set(value) - set(allowed))
        return f"{key}: unknown key {', '.join(map(shown, unknown[:10]))}; allowed are {', '.join(sorted(allowed))}"
    if error.validator == "enum":
        allowed = ", ".join("null" if choice is None else str(choice) for choice in limit)
        return f"{key}: {shown(value)} is not allowed; allowed are {allowed}"
    if error.validator == "type":
        kinds = [limit] if isinstance(limit, str) else limit
        return f"{key}: {shown(value)} is not of type {' or '.join(kinds)}{_meant_as_number(value, kinds)}"
    if error.validator == "oneOf":
        return _describe_choice(error, key)
    # the library's own words begin with the value
    return f"{key}: {error.message.replace(repr(value), shown(value), 1)}"


def _meant_as_number(value, kinds):
    """YAML reads 1e-8 as a text, for want of a point."""
    if not (isinstance(value, str) and "number" in kinds):
        return ""
    try:
        return f": it is a text; as a number write {float(value)!r}" if "e" in value.lower() else ""
    except ValueError:
        return ""


def _describe_choice(error, key):
    """None of the forms that a value may have: what is wrong with the one that was meant, or which forms there are."""
    forms: dict[int, list] = {}
    for one in error.context:
        forms.setdefault(one.schema_path[0], []).append(one)
    of_other_kinds = [one for one in error.context if _is_other_kind(one, error)]
    meant = [found for found in forms.values() if not any(one in of_other_kinds for one in found)]
    depths = [max(len(one.absolute_path) for one in found) for found in meant]
    if depths and depths.count(max(depths)) == 1:
        return describe_error(min(meant[depths.index(max(depths))], key=_place))
    if any("from" in _keys_of(one) for one in error.context):
        return f"{key}: {shown(error.instance)} is neither a list of values nor {{from: ..., to: ..., points: ...}}"
    allowed = [str(one.validator_value) for one in of_other_kinds if one.validator == "type"]
    allowed += [str(choice) for one in of_other_kinds if one.validator == "enum" for choice in one.validator_value]
    return f"{key}: {shown(error.instance)} is not allowed; allowed are {', '.join(allowed)}"


def _is_other_kind(one, error):
    return one.validator in ("type", "enum") and one.absolute_path == error.absolute_path


def _keys_of(error):
    """The keys of the form that an error is about, or of one within it."""
    inner = [key for one in error.context or [] for key in _keys_of(one)]
    return [*error.schema.get("properties", {}), *inner]
