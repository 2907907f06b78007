"""The zoo: factors that a person admitted, as the ledger's admissions and retirements tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.base import Operator, check_id, did_you_mean
from assay.errors import AssayError, LedgerDamaged, Reason, Refusal
from assay.library._recorded import read_document, recorded_certificates
from assay.library._watch import Watch

if TYPE_CHECKING:
    from assay.config import DateRange
    from assay.ledger import Entry, Ledger
    from assay.library._zoo_compare import Comparison
    from assay.market import Panel

UNKNOWN_MEMBER: Final = Reason(
    "unknown_member", "the zoo has no factor of this name", "list it: assay zoo list"
)
CERTIFICATE_UNRECORDED: Final = Reason(
    "certificate_unrecorded",
    "this ledger has no record of the certificate",
    "judge the factor in this workspace, so that its trial is counted",
)


@dataclass(frozen=True, slots=True)
class Retirement:
    """That a factor left the zoo: why, by whom, and the line of the record."""

    name: str
    reason: str
    operator: Operator
    line: int


@dataclass(frozen=True, slots=True)
class Member:
    """A factor that was admitted.

    Parameters
    ----------
    name : unique in the zoo, also among those retired.
    fingerprint, config_hash : key of the trial that it was judged in.
    expression, dialect : the formula; None for a factor given as values.
    data : name of the data set that it was judged on.
    certificate : content hash of its certificate.
    checks : name and outcome of each check that the certificate lists.
    operator : who admitted it.
    line : of the record.
    watch : what was expected of it at admission, and the kill rule; None where that was not frozen.
    retired : set once it has left.
    """

    name: str
    fingerprint: str | None
    config_hash: str | None
    expression: str | None
    dialect: str | None
    data: str | None
    certificate: str
    checks: tuple[Mapping[str, Any], ...]
    operator: Operator
    line: int
    watch: Watch | None = None
    retired: Retirement | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        retired = self.retired
        return {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "config_hash": self.config_hash,
            "expression": self.expression,
            "dialect": self.dialect,
            "data": self.data,
            "certificate": self.certificate,
            "checks": [dict(check) for check in self.checks],
            "operator": self.operator.as_dict(),
            "line": self.line,
            "watch": None if self.watch is None else self.watch.as_dict(),
            "retired": retired
            and {"reason": retired.reason, "operator": retired.operator.as_dict(), "line": retired.line},
        }


class Zoo:
    """The admitted factors of a ledger at the time of reading; see :meth:`read`."""

    def __init__(self, ledger: Ledger, members: Mapping[str, Member]) -> None:
        self._ledger = ledger
        self._members = dict(members)

    @classmethod
    def read(cls, ledger: Ledger) -> Zoo:
        """The zoo as the ledger tells it.

        Raises
        ------
        LedgerDamaged
            A line does not fit, or is no admission or retirement that Assay writes.
        """
        members: dict[str, Member] = {}
        for entry in ledger.entries(kind="admission"):
            # without a certificate it joined the zoo of one campaign, not yet the workspace's
            if entry.body["admitted"] and entry.body["certificate"] is not None:
                member = member_of(entry)
                members.setdefault(member.name, member)
        for entry in ledger.entries(kind="retirement"):
            retirement = retirement_of(entry)
            if retirement.name not in members:
                raise _foreign(entry, f"retires {retirement.name!r}, which was never admitted")
            members[retirement.name] = replace(members[retirement.name], retired=retirement)
        return cls(ledger, members)

    def members(self, *, retired: bool = False) -> tuple[Member, ...]:
        """The factors in order of admission; with ``retired`` also those that have left."""
        return tuple(member for member in self._members.values() if retired or member.retired is None)

    def get(self, name: str) -> Member:
        """The factor of a name, also one that has left.

        Raises
        ------
        Refusal
            ``unknown_member``.
        """
        if name not in self._members:
            close = did_you_mean(name, self._members)
            raise Refusal(
                UNKNOWN_MEMBER,
                f"the zoo has no factor {name[:80]!r}",
                where="name",
                fix=f"did you mean {', '.join(map(repr, close))}?" if close else UNKNOWN_MEMBER.fix,
                details={"near": list(close)},
            )
        return self._members[name]

    def certificate(self, name: str) -> dict[str, Any]:
        """The certificate of a factor, from the ledger's objects.

        Raises
        ------
        Refusal
            ``unknown_member``; ``certificate_unrecorded``: the ledger has no record of it.
        LedgerDamaged
            The ledger's object is missing or damaged.
        """
        member = self.get(name)
        recorded = recorded_certificates(self._ledger).get(member.certificate)
        if recorded is None:
            raise Refusal(CERTIFICATE_UNRECORDED, details={"certificate": member.certificate}, where=name)
        return read_document(self._ledger, recorded)

    def compare(
        self,
        names: Sequence[str] | None,
        panel: Panel,
        *,
        search: DateRange | None = None,
        universe: str | None = None,
    ) -> tuple[Comparison, ...]:
        """How alike factors are (all, where ``names`` is None): each two compared on search dates alone.

        Parameters
        ----------
        panel : the data to evaluate the formulas on.
        search : the dates that are compared. By default the search period that the workspace of the panel's
            data set plans; where none does, all dates of the panel.
        universe : members by date, by name; without it, all instruments.

        Raises
        ------
        Refusal
            ``unknown_member``; a formula does not go with the panel's fields; no date lies in the period.
        DataError
            Fewer than two factors are named.
        """
        from assay.library._zoo_compare import compare_members

        chosen = self.members() if names is None else tuple(self.get(name) for name in dict.fromkeys(names))
        return compare_members(self._ledger, chosen, panel, search=search, universe=universe)

    def export(self, folder: Path) -> tuple[Member, ...]:
        """Write the factors with their certificates into a new folder, whole or not at all.

        ``index.json`` lists the factors; ``factors/NAME.json`` is what the ledger says of one, and
        ``certificates/NAME.json`` its certificate. Equal zoos give equal bytes.

        Raises
        ------
        AssayError
            The folder exists already or cannot be written.
        LedgerDamaged
            A certificate is missing or damaged.
        """
        from assay.library._zoo_export import export_members

        members = self.members()
        export_members(members, [self.certificate(member.name) for member in members], folder)
        return members


def member_of(entry: Entry) -> Member:
    """The factor that an admission tells of."""
    body = entry.body
    try:
        return Member(
            name=check_id(body["name"]),
            fingerprint=body["fingerprint"],
            config_hash=body["config_hash"],
            expression=body["expression"],
            dialect=body["dialect"],
            data=body["data"],
            certificate=body["certificate"],
            checks=tuple(dict(check) for check in body["checks"]),
            operator=Operator.from_dict(body["operator"]),
            line=entry.line,
            # older admissions have none
            watch=None if body.get("watch") is None else Watch.from_dict(body["watch"]),
        )
    except (KeyError, TypeError, ValueError, AssayError) as error:
        raise _foreign(entry, "is no admission that this version writes") from error


def retirement_of(entry: Entry) -> Retirement:
    """The retirement that a record tells of."""
    try:
        operator = Operator.from_dict(entry.body["operator"])
        return Retirement(str(entry.body["name"]), str(entry.body["reason"]), operator, entry.line)
    except (KeyError, TypeError, AssayError) as error:
        raise _foreign(entry, "is no retirement that this version writes") from error


def _foreign(entry: Entry, what: str) -> LedgerDamaged:
    return LedgerDamaged(
        f"line {entry.line} {what}",
        where=f"line {entry.line}",
        fix="look at it with 'assay ledger show'; write admissions with 'assay zoo admit' only",
    )
