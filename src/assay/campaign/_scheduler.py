from __future__ import annotations

from collections.abc import Mapping

from assay.base import generator
from assay.campaign._settings import CampaignConfig
from assay.campaign._types import History, SlotPlan


def quota(config: CampaignConfig, history: History, number: int) -> dict[str, int]:
    """Slots of a round by mechanism type, in the order of the types.

    Each type gets ``min_per_type``. Each slot that is left goes to the type with the greatest of draws from
    Beta(prior + admitted, prior + rest), where every slot whose candidate reached the gate counts as one try,
    refused or not; of equal draws the first type's counts. The draws depend on seed and round alone, so the
    quota is a pure function of ledger and config.
    """
    settings = config.quota
    names = tuple(config.mechanisms)
    admitted = dict.fromkeys(names, 0)
    tries = dict.fromkeys(names, 0)
    for trial in history.trials:
        if trial.mechanism in tries and trial.outcome != "no_candidate":
            tries[trial.mechanism] += 1
            admitted[trial.mechanism] += trial.admitted
    random = generator(config.seed, "quota", number)
    shared = dict.fromkeys(names, settings.min_per_type)
    a = [settings.prior_admitted + admitted[name] for name in names]
    b = [settings.prior_rest + tries[name] - admitted[name] for name in names]
    for _ in range(settings.slots - settings.min_per_type * len(names)):
        shared[names[int(random.beta(a, b).argmax())]] += 1
    return shared


def slots(shared: Mapping[str, int], claims: Mapping[int, str] | None = None) -> tuple[SlotPlan, ...]:
    """The slots of a quota: those of a type one after the other, types in their order."""
    names = [name for name, count in shared.items() for _ in range(count)]
    return tuple(SlotPlan(slot, name, (claims or {}).get(slot)) for slot, name in enumerate(names))
