"""The account of the simulator: who is logged in, simulations, alphas, reviews. Knows nothing of the wire."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Final

from assay.base import Clock, SystemClock
from assay.brain.simulator._account_alphas import Alphas
from assay.brain.simulator._account_reviews import Reviews
from assay.brain.simulator._account_sessions import Sessions
from assay.brain.simulator._account_simulations import Simulations
from assay.brain.simulator._account_store import Store
from assay.brain.simulator._account_types import Login, draw_id
from assay.brain.simulator._market import Market
from assay.brain.simulator._simulate import simulate
from assay.config import Secret

_PERMISSIONS: Final = {
    "user": ("VISUALIZATION",),
    "consultant": ("CONSULTANT", "MULTI_SIMULATION", "PROD_ALPHAS", "VISUALIZATION"),
}


class Account:
    """One account on a market. Its parts may be used from several threads.

    Ids and dates come from the order in which simulations are posted, so that the same requests give the
    same alphas whenever they are computed.

    Parameters
    ----------
    market : what simulations run on; its settings say the account's level and limits.
    login : what opens a session; a drawn password if it is left out.
    clock : the time of everything that the account dates.
    folder : where it is kept; None for memory.
    seed : of the ids.
    workers : threads that compute ahead; 0 computes what is asked for, in the order of posting.
    patience : seconds that a look at a simulation waits for one that is being computed.
    persona : a person has to complete an inquiry before a session begins.
    session_requests : a session ends after so many requests, too.

    Raises
    ------
    Refusal
        ``account_busy``: another process holds the folder.
    DataError
        The folder holds something else.
    """

    def __init__(
        self,
        market: Market,
        *,
        login: Login | None = None,
        clock: Clock | None = None,
        folder: Path | None = None,
        seed: int = 0,
        workers: int = 0,
        patience: float = 10.0,
        persona: bool = False,
        session_requests: int | None = None,
    ) -> None:
        self.market, self.settings, self.clock = market, market.settings, clock or SystemClock()
        self.login = login or Login("local", Secret(secrets.token_urlsafe(12)))
        self.user = f"LS{draw_id(seed, 'user', 0, 5).upper()}"
        self.sessions = Sessions(self.login, self.clock, persona=persona, requests=session_requests)
        self._store = Store(folder)
        try:
            self._read(seed, workers, patience)
        except BaseException:
            # whoever mends the folder must find it free
            self._store.close()
            raise

    @property
    def permissions(self) -> tuple[str, ...]:
        """What the account may do."""
        return _PERMISSIONS[self.settings.level]

    def close(self) -> None:
        """Let the folder go; what is not computed is computed when the account is opened again."""
        self.simulations.close()
        self._store.close()

    def _read(self, seed: int, workers: int, patience: float) -> None:
        self.alphas = Alphas(self._store, self.user, seed=seed)
        self.reviews = Reviews(self.alphas, self.clock, self.settings.retry_after)
        self.simulations = Simulations(
            lambda request: simulate(self.market, request),
            self.alphas.made,
            self.alphas.keep,
            self._store,
            self.settings,
            self.clock,
            seed=seed,
            workers=workers,
            patience=patience,
        )
