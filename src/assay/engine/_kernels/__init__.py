"""Numba kernels over whole panels.

A panel is float32, C order, (dates, instruments). Each kernel fills its last array argument, releases the
GIL, is compiled at its first call and kept in numba's cache on disk. Inputs come as read-only views and
results as writable arrays, so that each kernel is compiled for one signature only.
"""
