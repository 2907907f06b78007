"""Chinese number words to values, by a strict grammar: what is no number gives ``None``."""

from __future__ import annotations

from decimal import Decimal

DIGITS = {"零": 0, "〇": 0, "○": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7}
DIGITS |= {"八": 8, "九": 9}
_TENS = {"廿": 20, "卅": 30}
_UNITS = {"十": 10, "百": 100, "千": 1000}
BIG_UNITS = {"万": 10_000, "亿": 100_000_000}
_LONGEST = 40
"""Characters; what is longer is noise, and its value no number that anything can use."""
_ZEROS = frozenset("零〇○")


def chinese_value(word: str) -> Decimal | None:
    """The value of a number in Chinese characters, or ``None`` where it is none.

    Whole numbers with units (一百二十, 两百五, 三万五千), rows of digits (二〇二四), decimals (三点五,
    一点二亿) and the short forms 廿 and 卅. Approximate numbers (三五, 二三十) are none.
    """
    if len(word) > _LONGEST:
        return None
    whole, point, decimals = word.partition("点")
    if not point:
        value = _row(whole)
        if value is None:
            value = _whole(whole)
        return None if value is None else Decimal(value)
    scale = 1
    if decimals and decimals[-1] in BIG_UNITS:
        scale = BIG_UNITS[decimals[-1]]
        decimals = decimals[:-1]
    head = _whole(whole)
    if head is None or not decimals or any(char not in DIGITS for char in decimals):
        return None
    return Decimal(f"{head}.{''.join(str(DIGITS[char]) for char in decimals)}") * scale


def _row(word: str) -> int | None:
    """Digits read one by one: at least three, or two with a zero."""
    if len(word) < 2 or any(char not in DIGITS for char in word):
        return None
    if len(word) == 2 and not _ZEROS & set(word):
        return None
    return int("".join(str(DIGITS[char]) for char in word))


def _whole(word: str) -> int | None:
    for unit in ("亿", "万"):
        head, found, tail = word.rpartition(unit)
        if found:
            high = _whole(head)
            low = _tail(tail, BIG_UNITS[unit])
            if high is None or low is None or high == 0 or low >= BIG_UNITS[unit]:
                return None
            return high * BIG_UNITS[unit] + low
    return _section(word)


def _tail(word: str, unit: int) -> int | None:
    """What follows a unit: nothing, a smaller number, or one digit of the next unit (三万五 is 35,000)."""
    if not word:
        return 0
    if len(word) == 1:
        digit = DIGITS.get(word)
        return None if not digit else digit * unit // 10
    after_zero = word.lstrip("零〇○")
    if len(word) - len(after_zero) > 1:
        return None
    return _whole(after_zero)


def _section(word: str) -> int | None:
    """A number under 10,000."""
    if len(word) == 1 and word in DIGITS:
        return DIGITS[word]
    total = 0
    last_unit = 10_000
    digit: int | None = None
    zero = False
    for position, char in enumerate(word):
        if char in _ZEROS:
            # 一百零五: a zero stands for the units left out, once, after a unit
            if digit is not None or zero or last_unit == 10_000:
                return None
            zero = True
        elif char in DIGITS:
            if digit is not None:
                return None
            digit = DIGITS[char]
        elif char in _UNITS:
            unit = _UNITS[char]
            if unit >= last_unit or digit == 0 or (digit is None and (char != "十" or total)):
                return None
            total += (1 if digit is None else digit) * unit
            last_unit, digit, zero = unit, None, False
        elif char in _TENS:
            if digit is not None or last_unit <= 10 or position:
                return None
            total += _TENS[char]
            last_unit = 10
        else:
            return None
    if digit is not None:
        if last_unit == 10_000:
            return None
        # 两百五 is 250, 两百零五 is 205
        total += digit if zero or last_unit == 10 else digit * last_unit // 10
    elif zero:
        return None
    return total if word else None
