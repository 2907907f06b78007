from __future__ import annotations

import math

import numpy as np

from assay.metrics._arrays import AnyArray, Floats, require, series64
from assay.metrics._conventions import DDOF, NEWEY_WEST_LAGS, UNDEFINED_TOLERANCE


def is_undefined(std: float, mean: float) -> bool:
    """Whether a standard deviation is too small beside its mean for a ratio to mean anything."""
    return not std > UNDEFINED_TOLERANCE * max(1.0, abs(mean))


def mean_of(values: AnyArray) -> float:
    """Mean of the values that are not missing; NaN without any. Two passes, so that a large level costs no
    digits.
    """
    kept = _kept(values)
    if len(kept) == 0:
        return math.nan
    first = float(kept.mean())
    return first + float((kept - first).mean())


def std_of(values: AnyArray, ddof: int = DDOF) -> float:
    """Standard deviation of the values that are not missing; NaN with fewer than ``ddof + 1``.

    Two passes with Chan's correction: the single-pass formula gives 0 for the NIST NumAcc4 series.
    """
    kept = _kept(values)
    n = len(kept)
    if n <= ddof:
        return math.nan
    gap = kept - mean_of(kept)
    total = float(gap @ gap) - float(gap.sum()) ** 2 / n
    return math.sqrt(max(total, 0.0) / (n - ddof))


def ratio_of(values: AnyArray, ddof: int = DDOF) -> float:
    """mean/std of the values that are not missing; NaN where the undefined rule says so."""
    mean, std = mean_of(values), std_of(values, ddof)
    return math.nan if is_undefined(std, mean) else mean / std


def autocorrelation(values: AnyArray, lag: int = 1) -> float:
    """Autocorrelation at ``lag`` about the common mean (the definition of the NIST reference data).

    Missing values are dropped first. NaN where the series is constant or not longer than ``lag``.
    """
    require(lag >= 1, f"lag is {lag}", "lag", "give at least 1")
    kept = _kept(values)
    if len(kept) <= lag or is_undefined(std_of(kept, 0), mean_of(kept)):
        return math.nan
    gap = kept - mean_of(kept)
    return float(gap[lag:] @ gap[:-lag]) / float(gap @ gap)


def newey_west_t(values: AnyArray, lags: int = NEWEY_WEST_LAGS) -> float:
    """t statistic of the mean under autocorrelation: Bartlett weights, ``lags`` lags, no small-sample factor.

    Missing values are dropped first. NaN with fewer than ``lags + 2`` values or where the long-run
    variance is not positive. Source: Newey and West (1987).
    """
    require(lags >= 0, f"lags is {lags}", "lags", "give 0 or more")
    kept = _kept(values)
    n = len(kept)
    mean = mean_of(kept)
    if n < lags + 2 or is_undefined(std_of(kept, 0), mean):
        return math.nan
    gap = kept - mean
    variance = float(gap @ gap)
    for lag in range(1, lags + 1):
        variance += 2.0 * (1.0 - lag / (lags + 1.0)) * float(gap[lag:] @ gap[:-lag])
    return mean / math.sqrt(variance / n / n) if variance > 0 else math.nan


def newey_west_p(t: float, n: int, lags: int, overlap: int = 1) -> float:
    """Two-sided p-value of a :func:`newey_west_t` of ``n`` values that is not fooled by a short series.

    Under the null the values are moving sums of ``overlap`` independent shocks, as labels of that many bars
    make them; 1: they are independent. Of such a series the Newey-West variance is on average too small (it
    damps the lags of the overlap, and the mean is estimated) and it varies. Its mean and its degrees of
    freedom follow from the spectra; with the first the t is scaled, with the second it is read in Student's
    distribution. The normal distribution gives p-values that are too small: of 270 values with 10 lags and
    an overlap of 5, seven times as many as should be below 0.0005 are.

    Parameters
    ----------
    t : the statistic; NaN gives NaN.
    n : values behind it.
    lags : of the Newey-West variance.
    overlap : bars of the label, for a daily series.

    Notes
    -----
    The variance is a sum over the periodogram's frequencies, each weighted by the Bartlett kernel's spectral
    window; two moments of such a sum give its equivalent degrees of freedom (Priestley, Spectral Analysis and
    Time Series, 1981, 6.2.4; Satterthwaite, Biometrics Bulletin 2, 1946). With one bar of overlap these are
    about ``1.5 n / (lags + 1)``, as in the fixed-b theory of Kiefer and Vogelsang (Econometric Theory 21,
    2005) with the approximation of Sun (Econometrics Journal 16, 2013).

    Examples
    --------
    >>> round(newey_west_p(3.48, 270, 10, overlap=5), 4), round(newey_west_p(1.96, 100_000, 0), 4)
    (0.0039, 0.05)
    """
    require(n >= 2, f"n is {n}", "n", "give at least 2 values")
    require(lags >= 0, f"lags is {lags}", "lags", "give 0 or more")
    require(overlap >= 1, f"overlap is {overlap}", "overlap", "give at least 1 bar")
    if math.isnan(t):
        return math.nan
    from scipy.stats import t as student

    half = np.pi * np.arange(1, n) / n
    spectrum = _fejer(half, lags + 1) * _fejer(half, overlap) / ((lags + 1) * overlap**2)
    mean = float(spectrum.sum()) / n
    freedom = float(spectrum.sum()) ** 2 / float(spectrum @ spectrum)
    return 2.0 * float(student.sf(abs(t) * math.sqrt(mean), freedom))


def _fejer(half: Floats, count: int) -> Floats:
    """Squared size of a sum of ``count`` unit waves, at half of their frequencies."""
    return np.asarray((np.sin(count * half) / np.sin(half)) ** 2)


def _kept(values: AnyArray) -> AnyArray:
    series = series64(values, "values")
    return series[np.isfinite(series)]
