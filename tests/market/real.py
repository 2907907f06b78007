"""The real test data through the public importer; nothing of it is kept in the project."""

from __future__ import annotations

from pathlib import Path

from assay.market import (
    GroupSource,
    MembershipSource,
    Panel,
    Sides,
    TableOptions,
    import_table,
    open_panel,
    write_dataset,
)


def csi300_panel(shared: Path, tmp: Path) -> Panel:
    """569 stocks that were ever in CSI 300, 2017 to 2024: membership, Shenwan level-1 industry, trading days.

    ``tmp`` keeps the stored data set; a second call with the same folder opens it.
    """
    folder = Path(tmp) / "csi300"
    if folder.is_dir():
        return open_panel(folder)
    data = Path(shared) / "data"
    options = TableOptions(
        market="CN",
        sides=Sides(
            membership={
                name: MembershipSource(data / "index" / f"{name}_history.csv", unknown_start="leave_out")
                for name in ("csi300", "csi500")
            },
            groups={"industry": GroupSource(data / "market" / "cn_industry_sw_l1_20231030.csv", "sw_l1")},
        ),
        calendar=data / "index" / "cn_calendar_2010_2026.txt",
    )
    taken = import_table(data / "market" / "cn_csi300_daily_2017_2024.parquet", options, name="csi300")
    return write_dataset(taken.data, folder)


def us_panel(shared: Path, tmp: Path) -> Panel:
    """150 much traded S&P 500 stocks, 2012-12 to 2017-12: membership and GICS sectors."""
    folder = Path(tmp) / "us150"
    if folder.is_dir():
        return open_panel(folder)
    data = Path(shared) / "data"
    options = TableOptions(
        market="US",
        sides=Sides(
            membership={"sp500": MembershipSource(data / "index" / "sp500_history.csv", overlaps="merge")},
            groups={"sector": GroupSource(data / "market" / "us_sectors.csv", "gics_sector")},
        ),
    )
    taken = import_table(data / "market" / "us_sp500_top150_2012_2017.parquet", options, name="us150")
    return write_dataset(taken.data, folder)
