"""Graph passes, one a file, in the order in which a batch goes through them."""

from assay.engine._passes._fold import fold_constants
from assay.engine._passes._fuse import fuse_elements
from assay.engine._passes._intern import intern
from assay.engine._passes._liveness import use_counts
from assay.engine._passes._lower import lower, spread_inputs, spread_outputs
from assay.engine._passes._mask import mask_members
from assay.engine._passes._schedule import schedule
from assay.engine._passes._segment import segments

__all__ = [
    "fold_constants",
    "fuse_elements",
    "intern",
    "lower",
    "mask_members",
    "schedule",
    "segments",
    "spread_inputs",
    "spread_outputs",
    "use_counts",
]
