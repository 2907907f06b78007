"""Panels are plain arrays, however their memory was got."""

from __future__ import annotations

import mmap
import weakref

import numpy as np
import pytest

from assay.engine._pool import Pool, new_panel

HUGE = 2 << 20


@pytest.mark.parametrize("shape", [(0, 7), (3, 5), (1700, 300), (1024, 512), (2500, 300)])
def test_a_panel_is_a_writeable_array_of_its_shape(shape: tuple[int, int]) -> None:
    panel, other = new_panel(shape), new_panel(shape)
    panel[...] = 1.0
    other[...] = 2.0
    assert (panel.shape, panel.dtype) == (shape, np.float32)
    assert panel.flags.c_contiguous
    assert panel.flags.writeable
    assert np.all(panel == 1.0)


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the system has no huge pages")
@pytest.mark.parametrize("advised", [True, False])
def test_a_large_panel_begins_at_a_huge_page(advised: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not advised:
        monkeypatch.setattr(mmap, "MADV_HUGEPAGE", -1)  # refused, as by a kernel without huge pages
    panel = new_panel((1700, 300))
    panel[...] = 3.0
    assert panel.__array_interface__["data"][0] % HUGE == 0


def test_a_panel_does_not_outlive_its_last_reader() -> None:
    panel = new_panel((1700, 300))
    memory = weakref.ref(panel.base)
    part = panel[5:]
    del panel
    assert memory() is not None
    del part
    assert memory() is None


def test_a_panel_given_back_is_taken_again() -> None:
    pool = Pool((3, 4))
    panel = pool.take()
    pool.give_back(panel)
    assert pool.take() is panel
    assert pool.take() is not panel
