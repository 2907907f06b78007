"""Which column of a table is what: told by the user, or guessed from its name and shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from assay.base import did_you_mean
from assay.market._problems import Collector

_LISTED: Final = 30
"""Columns of a table that a message lists, at most."""

BAR_SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "date": (
            "date", "trade_date", "tradedate", "trading_date", "trade_dt", "datetime", "time", "day",
            "日期", "交易日期", "交易日",
        ),
        "symbol": (
            "symbol", "instrument", "code", "ticker", "ts_code", "asset", "sid", "secid", "order_book_id",
            "stock_code", "sec_code", "security", "股票代码", "证券代码", "代码",
        ),
        "open": ("open", "open_price", "px_open", "o", "开盘", "开盘价"),
        "high": ("high", "high_price", "px_high", "h", "最高", "最高价"),
        "low": ("low", "low_price", "px_low", "l", "最低", "最低价"),
        "close": ("close", "close_price", "px_last", "px_close", "c", "last", "收盘", "收盘价"),
        "adj_close": ("adj_close", "adjclose", "adj close", "adjusted_close", "复权收盘价", "后复权收盘价"),
        "vwap": ("vwap", "avg_price", "average_price", "均价", "成交均价"),
        "volume": ("volume", "vol", "px_volume", "v", "成交量"),
        "amount": (
            "amount", "money", "total_turnover", "turnover_value", "traded_value", "成交额", "成交金额",
        ),
        "factor": (
            "factor", "adj_factor", "adjfactor", "adjust_factor", "backadjustfactor", "hfq_factor",
            "复权因子", "后复权因子",
        ),
        "suspended": ("suspended", "paused", "is_paused", "is_suspended", "halted", "停牌", "是否停牌"),
        "trading": ("tradestatus", "trade_status", "trading"),
        "is_st": ("is_st", "isst", "st", "是否st"),
        "turn": ("turn", "turnover", "turnover_rate", "换手率"),
        "cap": ("cap", "market_cap", "marketcap", "total_mv", "mktcap", "总市值"),
        "shares": ("shares", "total_shares", "shares_outstanding", "总股本"),
    }
)  # fmt: skip

SPAN_SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "symbol": BAR_SYNONYMS["symbol"],
        "in": (
            "in",
            "opt_in",
            "start",
            "start_date",
            "from",
            "begin",
            "date_in",
            "in_date",
            "纳入日期",
            "生效日期",
        ),
        "out": (
            "out",
            "opt_out",
            "end",
            "end_date",
            "to",
            "until",
            "date_out",
            "out_date",
            "剔除日期",
            "失效日期",
        ),
    }
)

EVENT_SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "symbol": BAR_SYNONYMS["symbol"],
        "event_time": ("event_time", "event_date", "happened", "report_date", "date", "事件日期"),
        "known_time": (
            "known_time", "knowledge_time", "known", "available", "published", "publish_date", "ann_date",
            "announcement_date", "公告日期", "发布时间",
        ),
        "score": ("score", "value", "sentiment", "surprise", "得分"),
    }
)  # fmt: skip


def plain(name: str) -> str:
    """A column's name as compared: lower case, blanks and hyphens as underscores, no leading ``$``."""
    return re.sub(r"[\s\-]+", "_", name.strip().lstrip("\ufeff$").lower())


def columns_hint(column: str, columns: Sequence[str]) -> str:
    """What a column that a table lacks may have been: names that are near, and those that the table has."""
    near = did_you_mean(column, columns)
    more = ", ..." if len(columns) > _LISTED else ""
    listed = f"it has: {', '.join(columns[:_LISTED])}{more}"
    return f"did you mean {', '.join(near)}? {listed}" if near else listed


def choose_columns(
    columns: Sequence[str],
    synonyms: Mapping[str, tuple[str, ...]],
    told: Mapping[str, str],
    required: Sequence[str],
    *,
    where: str,
    problems: Collector,
    tell: str = "rename a column to {meaning}",
) -> dict[str, str]:
    """The column for each known meaning: those ``told`` first, the others guessed by name.

    ``tell``: how a column is told where none is recognised, or several are.

    Problems found: a told column that the table lacks, two columns that could be the same thing, a required
    meaning without a column.
    """
    chosen: dict[str, str] = {}
    for meaning, column in told.items():
        if column not in columns:
            hint = columns_hint(column, columns)
            problems.add(where, f"there is no column {column!r} for {meaning}", hint)
        else:
            chosen[meaning] = column
    taken = set(chosen.values())
    for meaning, names in synonyms.items():
        if meaning in told:
            continue
        found = [column for name in names for column in columns if plain(column) == plain(name)]
        found = [column for column in dict.fromkeys(found) if column not in taken]
        if len(found) > 1 and plain(found[0]) != meaning:
            problems.add(
                where,
                f"{meaning} could be any of the columns {', '.join(found)}",
                tell.format(meaning=meaning),
            )
        if found:
            chosen[meaning] = found[0]
            taken.add(found[0])
    missing = [meaning for meaning in required if meaning not in chosen and meaning not in told]
    for meaning in missing:
        problems.add(
            where,
            f"no column looks like {meaning}; the columns are: {', '.join(columns[:30])}",
            tell.format(meaning=meaning),
        )
    return chosen


def field_name(column: str) -> str | None:
    """A column's name as the name of a field, or None if it cannot be one."""
    name = plain(column).replace(".", "_")
    return name if re.fullmatch(r"[a-z_][a-z0-9_]{0,63}", name) else None
