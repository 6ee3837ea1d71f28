"""What a schema does not allow, in words; of use to every YAML file that has a schema."""

import math
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

# YAML's 5.0 is no whole number here, and .nan and .inf are no numbers: neither could be used for anything.
_Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ).redefine(
        "number",
        lambda _, value: isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
    ),
)


class ConfigError(ValueError):
    """Names the file, the key, the value and what is allowed, one line for each thing that is wrong."""


def violations(given: Any, schema: dict[str, Any], describe=None) -> list[str]:
    """What in `given` the schema does not allow, in its order; `describe` puts an error into words."""
    errors = sorted(_Validator(schema).iter_errors(given), key=_place)
    return [(describe or describe_error)(error) for error in errors]


def _place(error):
    return [str(part) for part in error.absolute_path]


def dotted(*parts: object) -> str:
    """The keys that lead to a place, as a user would say it."""
    return ".".join(map(str, parts)) or "(top level)"


def describe_error(error) -> str:
    """A schema violation in our own words: key, value, what is allowed."""
    key, value, limit = dotted(*error.absolute_path), error.instance, error.validator_value
    if "propertyNames" in error.absolute_schema_path and error.validator == "pattern":
        return f"{key}: {value!r} is no name; a name has lower-case letters, digits and _, and begins with a letter"
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        unknown = sorted(set(value) - set(allowed))
        return f"{key}: unknown key {', '.join(map(repr, unknown))}; allowed are {', '.join(sorted(allowed))}"
    if error.validator == "enum":
        allowed = ", ".join("null" if choice is None else str(choice) for choice in limit)
        return f"{key}: {value!r} is not allowed; allowed are {allowed}"
    if error.validator == "type":
        kinds = [limit] if isinstance(limit, str) else limit
        return f"{key}: {value!r} is not of type {' or '.join(kinds)}"
    if error.validator == "oneOf":
        return _describe_choice(error, key)
    return f"{key}: {error.message}"


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
        return f"{key}: {error.instance!r} is neither a list of values nor {{from: ..., to: ..., points: ...}}"
    allowed = [str(one.validator_value) for one in of_other_kinds if one.validator == "type"]
    allowed += [str(choice) for one in of_other_kinds if one.validator == "enum" for choice in one.validator_value]
    return f"{key}: {error.instance!r} is not allowed; allowed are {', '.join(allowed)}"


def _is_other_kind(one, error):
    return one.validator in ("type", "enum") and one.absolute_path == error.absolute_path


def _keys_of(error):
    """The keys of the form that an error is about, or of one within it."""
    inner = [key for one in error.context or [] for key in _keys_of(one)]
    return [*error.schema.get("properties", {}), *inner]
