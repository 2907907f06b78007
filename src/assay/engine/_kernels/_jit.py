from __future__ import annotations

from numba import carray, njit, types
from numba.extending import intrinsic

ANCHOR_ROWS = 64
"""Rolling sums start afresh at least this often, at fixed row numbers, so rounding cannot pile up."""

LOST_DIGITS = 1e-7
"""A rolling variance below this share of what the sums have held is computed again from the window itself."""

# `contract` allows fused multiply-add, `nsz` ignores the sign of zero; NaN and infinity keep their meaning.
kernel = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "nsz"})

_inlined = njit(nogil=True, error_model="numpy", inline="always")


@intrinsic
def pointer(typing_context, address):
    """The address of a float32 as a pointer."""

    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.float32)(address), generate


@intrinsic
def doubles(typing_context, address):
    """The address of a float64 as a pointer."""

    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.float64)(address), generate


@intrinsic
def widest_vectors(typing_context):
    """Lets the compiler use the widest vectors of the machine in the kernel that calls this.

    It prefers half of 512-bit registers by default, a choice for code that only now and then meets a loop.
    """

    def generate(context, builder, signature, arguments):
        attributes = builder.function.attributes
        if isinstance(attributes, set):  # llvmlite has no method for attributes with a value
            set.add(attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.none(), generate


@_inlined
def line(address, step, t, n):
    """The first `n` cells of row `t`; rows lie `step` cells apart, `address` is that of the first cell.

    Slices of arrays would be counted references, which costs more than the work on a short row.
    """
    return carray(pointer(address + 4 * step * t), n)


@_inlined
def cell(address, step, t, s):
    """One cell of row `t`."""
    return carray(pointer(address + 4 * (step * t + s)), 1)[0]
