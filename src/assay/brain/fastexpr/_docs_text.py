"""What the FASTEXPR reference says beside its tables."""

from __future__ import annotations

from typing import Final

INTRODUCTION: Final = """# FASTEXPR

The language of WorldQuant BRAIN as Assay reads it: what `assay brain validate` and every search check
before any call, and what the local simulator answers. This page is made by
`python -m assay.brain.fastexpr._docs docs/reference/fastexpr.md`; a test fails when it is stale. What each
operator computes stands in the [op reference](ops.md#fastexpr-words).

## Grammar

```
program    = { statement ";" } expression [ ";" ]
statement  = name "=" expression
expression = or [ "?" expression ":" expression ]
or         = and { ( "||" | "or" ) and }
and        = comparison { ( "&&" | "and" ) comparison }
comparison = sum { ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum }
sum        = product { ( "+" | "-" ) product }
product    = sign { ( "*" | "/" ) sign }
sign       = { "-" | "+" | "!" } power
power      = operand [ "^" sign ]
operand    = number | text | name | name "(" [ inputs ] ")" | "(" expression ")"
inputs     = input { "," input }
input      = [ name "=" ] expression
```

- The last expression is the alpha. A statement has a name to assign to; one without is refused, and so is
  a program that ends with an assignment. Blank statements between semicolons are passed over.
- A name is looked up among the variables that were assigned before it, then among the fields. A variable
  may be assigned again, may stand for a number that an attribute takes, and may go unused. One that is
  used before it is assigned is unknown, so there are no cycles.
- `a ? b : c ? d : e` is `a ? b : (c ? d : e)`; `2 ^ 3 ^ 2` is `2 ^ (3 ^ 2)`; `-x ^ 2` is `-(x ^ 2)`;
  comparisons go from the left.
- `and`, `or` and `not` are also calls: `and(x, y)`, `or(x, y)`, `not(x)`. A condition is 1 or 0; a number
  in its place means "is not 0".
- Names of operators, attributes, variables and fields, `true`, `false` and `nan` are read without regard
  to case.
- Numbers: `5`, `0.5`, `.5`, `2.`, `1e-6`. Texts stand in double or single quotes, or bare where an
  attribute takes a name: `driver="gaussian"`, `driver=gaussian`.
- Attributes come by place or by name, those by name last: `ts_backfill(x, 60)`,
  `ts_backfill(x, lookback=60, k=2)`. A window is `d`, `lookback` or `n`. Their values are written out, or
  computed from numbers alone.
- Comments: `/* over lines */` and `# to the end of the line`.
- A field of type VECTOR must pass a `vec_` operator first; an input named *group* takes a field of type
  GROUP, or what `bucket`, `densify` or `group_cartesian_product` give.
- Names with a dot (`IndClass.sector`) and operators by their old names are refused, and the names of
  today are offered.
"""

MESSAGES: Final = """## What is said

The first problem is told, in the platform's words, with its place as the platform gives it: line from 1,
characters from 0 within the line, the last one not included. First comes the grammar, then the names of
operators, then fields, inputs and attributes, then windows and size. People also get a hint, which the
platform does not give. Here `close` and `open` are fields of type MATRIX, `news` is a VECTOR, `sector` a
GROUP, and the account is a user's.

*platform*: the words are those of captured replies, which do not show every case. *Assay*: none was
captured, so a message of the same form stands in.

| program | kind | message | place | words of |
|---|---|---|---|---|
"""

NEVER_SAID: Final = """
Never said here, as nothing local can tell: `Invalid data field`, and `Your simulation has been running
too long`, which come from data and load.
"""

UNITS: Final = """## Units

Warnings are told where they are asked for (`--units`), by the local simulator as the check `UNITS`, and
never make a program invalid. A unit is a product of powers of `CSPrice` and `CSShare`; a field that is
none of the standard ones has an unknown unit, which fits every other, and so have 0 and `nan`. Inputs
that are added, subtracted, compared, chosen between, or of which the larger or smaller is taken must have
the same. The form of the message and `CSPrice` are those of a captured reply; `CSShare`, and which
operators the platform checks, are not published.

| program | warning |
|---|---|
"""

CHOICES: Final = (
    "Precedence is not published in full. That `^` binds tighter than a sign before it, and a ternary "
    "loosest, is how public alphas are written.",
    "Whether case matters is not published; public alphas write operators and variables in mixed case.",
    "Whether a field that is no group may stand for one is not published; here it may not.",
    "`scale(x, longscale=1, shortscale=1)`: the published defaults of both are 1, but the published example "
    "scales the sum of all; here they are off until they are given.",
    "`ts_backfill(.., ignore=)` and `ts_decay_exp_window(.., nan=)` stand in older lists of operators only, "
    'and take the one value there that is their default: `"NAN"` and `True`.',
)
"""What was chosen where public texts leave it open, beside the notes of the op table."""
