from __future__ import annotations

import hashlib

import numpy as np

from assay.market._panel import Panel


def data_digest(panel: Panel) -> str:
    """SHA-256 that identifies the content of a panel's data set, whether stored or in memory."""
    if panel.manifest.files:
        return panel.manifest.fingerprint
    data = panel.data
    digest = hashlib.sha256()
    digest.update(np.ascontiguousarray(data.dates).tobytes())
    digest.update("\n".join(data.instruments).encode())
    arrays = {**data.fields, **data.vectors, **{name: group.codes for name, group in data.groups.items()}}
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    for name in panel.universes:
        digest.update(name.encode())
        digest.update(np.packbits(panel.universe(name)).tobytes())
    return digest.hexdigest()
