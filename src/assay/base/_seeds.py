from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, *path: str | int) -> np.random.Generator:
    """A random generator for one named use of a seed, independent of all other names.

    Deriving by name instead of drawing from one stream keeps a result unchanged when an
    unrelated step is added before it.
    """
    # escaped as in a JSON pointer, so that ("a/b",) and ("a", "b") differ
    names = [str(name).replace("~", "~0").replace("/", "~1") for name in path]
    text = "/".join([str(seed), *names])
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))
