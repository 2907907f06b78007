from __future__ import annotations

from assay.errors import Reason

CALL_BUDGET_EXHAUSTED = Reason(
    "call_budget_exhausted",
    "the run has made as many calls of models as it may",
    "raise [llm.budget] calls in assay.toml and resume the run",
)
TOKEN_BUDGET_EXHAUSTED = Reason(
    "token_budget_exhausted",
    "the next call could take more tokens than the run has left",
    "raise [llm.budget] input_tokens or output_tokens in assay.toml and resume the run",
)
MONEY_BUDGET_EXHAUSTED = Reason(
    "money_budget_exhausted",
    "the next call could cost more money than the run has left",
    "raise [llm.budget] money in assay.toml and resume the run",
)
ROLE_NOT_CONFIGURED = Reason(
    "role_not_configured",
    "no backend is set for a role that is needed",
    "add the role's table, [llm.roles.ROLE], to assay.toml",
)
BACKEND_NOT_AVAILABLE = Reason(
    "backend_not_available",
    "a role's backend is of a kind that cannot be used here",
    "choose another backend for the role",
)
