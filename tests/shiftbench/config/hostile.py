"""Bad configs, made from a good one: what people mistype, and what no person would write."""

import copy
import random

from small_config import PROJECT

ODD_NAMES = [
    12,
    True,
    None,
    1.5,
    "ab\n",
    "",
    "Größe",
    "a b",
    "../up",
    "a/b",
    "x" * 300,
    "\x00",
    "\u202egnp",
    "ﬀ",
    ".",
    "-",
]
ODD_VALUES = [
    *(None, True, False, 0, -1, 1, 0.0, -0.5, 2.5, 1e308, 10**12, 10**30, -(10**30), 10**400),
    *(float("nan"), float("inf"), float("-inf")),
    *(
        "",
        "abc",
        "1e-8",
        "l3",
        "ab\n",
        "\x1b[31m",
        "\u202e",
        "ü" * 50,
        "x" * 100_000,
        "{{}}",
        "%s",
        "../../etc",
        "\ud800",
    ),
    *([], [None], [[]], [-1], ["abc"], [float("nan")], [10**400], [{}], list(range(2000))),
    *({}, {"": 1}, {1: 2}, {None: None}, {"a": {"b": {"c": []}}}, {"from": 1, "to": 0, "points": 10**9}),
    *({"from": -1.0, "to": 1.0, "points": 3}, {"kind": []}, {"file": 3, "label": None}, {"weakest": 0, "points": 0}),
]


def places(value, path=()):
    """The paths to all values of a config, mappings and lists included."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def at(config, path):
    for key in path:
        config = config[key]
    return config


def hostile_configs(n, seed=0):
    """`n` copies of the project's config, each with something odd at a place drawn at random, with that place."""
    draw = random.Random(seed)
    everywhere = list(places(PROJECT))
    # leaves are many, and most of them are titles: so each depth has the same chance
    depths = sorted({len(path) for path in everywhere})
    for _ in range(n):
        depth = draw.choice(depths)
        path = draw.choice([path for path in everywhere if len(path) == depth])
        config = copy.deepcopy(PROJECT)
        yield path, MUTATIONS[draw.randrange(len(MUTATIONS))](draw, config, path)


def _other_value(draw, config, path):
    at(config, path[:-1])[path[-1]] = copy.deepcopy(draw.choice(ODD_VALUES))
    return config


def _other_name(draw, config, path):
    """A key, or one beside it, has an odd name."""
    while isinstance(path[-1], int):
        path = path[:-1]
    above = at(config, path[:-1])
    above[draw.choice(ODD_NAMES)] = above.pop(path[-1])
    return config


def _one_more(draw, config, path):
    while isinstance(path[-1], int):
        path = path[:-1]
    at(config, path[:-1])[draw.choice(ODD_NAMES)] = copy.deepcopy(draw.choice(ODD_VALUES))
    return config


def _wrong_nesting(draw, config, path):
    """A value one level too deep or too high, or what stands somewhere else."""
    above, key = at(config, path[:-1]), path[-1]
    others = [list(places(PROJECT))[draw.randrange(200)], ("experiments", "table1"), ("methods",), ()]
    above[key] = draw.choice([{key: above[key]}, [above[key]], copy.deepcopy(at(PROJECT, draw.choice(others)))])
    return config


def _left_out(draw, config, path):
    del at(config, path[:-1])[path[-1]]
    return config


MUTATIONS = [_other_value, _other_value, _other_value, _other_name, _one_more, _wrong_nesting, _left_out]
