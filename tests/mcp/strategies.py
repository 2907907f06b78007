"""Arguments from published schemas, right, nearly right and wrong; what a caller of tools may send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "", "close", "rank(close)", "../../etc/passwd", "/etc/passwd", "assay.toml", "a" * 5000, "\x00",
            "2999-01-01", "2019-02-30", "2018-06-29", "2018-06-29T00:00:00+14:00", "0000-00-00", "now",
            "note:none", "sha256:" + "0" * 64, "fwd_ret_1", "ridge_default", "5d", "-1d", "\ud7ff", "\u202e",
            "'; drop table runs; --", "${HOME}", "%s%n", "null", "NaN", "1e309",
        ]
    ),
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(-10, 300),
    st.sampled_from([0, 1, -1, 2**31, 2**53, 2**63, 10**30, 0.5, -0.0, 1e308, 5e-324]),
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


def valid(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values of a schema, as far as tools use JSON schema."""
    if "$ref" in schema:
        return st.deferred(lambda: valid(root["$defs"][schema["$ref"].rpartition("/")[2]], root))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return st.one_of(*(valid(part, root) for part in schema[key]))
    kind = schema.get("type")
    if kind == "object":
        return objects(schema, root)
    if kind == "array":
        return st.lists(
            valid(schema.get("items", {}), root),
            min_size=schema.get("minItems", 0),
            max_size=min(schema.get("maxItems", 4), 4),
        )
    if kind == "string":
        return _strings(schema)
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", -5), schema.get("maximum", 100)
        return st.integers(low, high) if kind == "integer" else st.floats(low, high, allow_nan=False)
    return {"boolean": st.booleans(), "null": st.none()}.get(str(kind), ANYTHING)


def _strings(schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True)
    low, high = schema.get("minLength", 0), schema.get("maxLength", 5000)
    return TEXTS.filter(lambda text: low <= len(text) <= high)


def objects(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects of a schema, with some of what is optional."""
    properties = {name: valid(part, root) for name, part in schema.get("properties", {}).items()}
    required = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: made for name, made in properties.items() if name in required},
        optional={name: made for name, made in properties.items() if name not in required},
    )


def arguments(schema: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """What may be sent to a tool: valid, with one part replaced or left out, with more, or anything."""
    names = [*schema.get("properties", {}), "more", "path", "as_of"]
    right = objects(schema, schema)

    def spoilt(parts: tuple[dict[str, Any], str, Any, bool]) -> dict[str, Any]:
        sent, name, value, gone = parts
        rest = {key: item for key, item in sent.items() if key != name}
        return rest if gone else {**rest, name: value}

    wrong = st.tuples(right, st.sampled_from(names), ANYTHING, st.booleans()).map(spoilt)
    return st.one_of(right, wrong, wrong, st.dictionaries(TEXTS, ANYTHING, max_size=4))
