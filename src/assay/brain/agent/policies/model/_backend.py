"""What the role ``researcher`` runs on where a workspace does not say: DeepSeek, if there is a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from assay.config import BackendSettings, LlmSettings, RoleSettings, Secret
from assay.errors import Refusal
from assay.llm import ROLE_NOT_CONFIGURED

KEY: Final = "DEEPSEEK_API_KEY"
DEEPSEEK: Final = BackendSettings("deepseek", "openai", base_url="https://api.deepseek.com", key=KEY)
MODEL: Final = "deepseek-chat"
ROLE: Final = "researcher"


def with_researcher(settings: LlmSettings, secrets: Mapping[str, Secret]) -> LlmSettings:
    """The ``[llm]`` tables with a role ``researcher``: the workspace's own, else DeepSeek by its key.

    Raises
    ------
    Refusal
        ``role_not_configured``: neither is there.
    """
    if ROLE in settings.roles:
        return settings
    if not secrets.get(KEY):
        raise Refusal(
            ROLE_NOT_CONFIGURED,
            f"no model is set for the role {ROLE!r}, and {KEY} is not set",
            where=f"llm.roles.{ROLE}",
            fix=f"set {KEY} in the environment or in .env, add [llm.roles.{ROLE}] to assay.toml, or use "
            "--policy sampler, which needs no model",
            details={"role": ROLE},
        )
    return replace(
        settings,
        backends={DEEPSEEK.name: DEEPSEEK, **settings.backends},
        roles={**settings.roles, ROLE: RoleSettings(DEEPSEEK.name, MODEL, structured="tool")},
    )
