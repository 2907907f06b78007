"""Every exception that Assay raises on purpose.

::

    AssayError                      something a caller may catch as a whole
    ├── Refusal                     an expected "no", with a reason from a closed vocabulary
    │   └── ExpressionError         a formula is refused: carries the place in the text
    ├── ConfigProblems              every problem of a configuration, at once
    ├── DataError                   data is missing, malformed, or contradicts itself
    ├── ProviderError               an outside service failed
    │   ├── ProviderQuotaExhausted  the balance or quota is used up; waiting does not help
    │   ├── ProviderTransient       worth trying again later
    │   ├── ProviderAuth            credentials are missing or refused
    │   └── ProviderBadReply        the answer does not have the promised shape
    └── LedgerDamaged               the record of what happened was altered or broken

A refusal is not a bug and not an outage. Each package declares its reasons as
:class:`Reason` objects; the reference of reasons in the documentation is generated from them.
"""

from assay.errors._errors import (
    AssayError,
    ConfigProblems,
    DataError,
    ExpressionError,
    LedgerDamaged,
    Problem,
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderTransient,
    Reason,
    Refusal,
    Span,
)

__all__ = [
    "AssayError",
    "ConfigProblems",
    "DataError",
    "ExpressionError",
    "LedgerDamaged",
    "Problem",
    "ProviderAuth",
    "ProviderBadReply",
    "ProviderError",
    "ProviderQuotaExhausted",
    "ProviderTransient",
    "Reason",
    "Refusal",
    "Span",
]
