"""Chains of element-wise operations in one pass.

A program is a list of instructions over registers that hold one tile of a panel each, small enough for the
nearest cache. A chain of element-wise nodes thus reads its inputs once and writes its result once, and
nothing is compiled per formula: the program is data.
"""

from __future__ import annotations

import numpy as np
from numba import carray

from assay.engine._kernels._jit import kernel, pointer, widest_vectors

TILE = 1024
REGISTERS = 12

ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM = range(6)
GT, GE, EQ, NE, AND, OR = range(6, 12)
NEG, ABS, SIGN, SQRT, FLOOR, CEIL, ROUND, FRACTION = range(12, 20)
NOT, IS_MISSING, FILL, WHERE, CUT = range(20, 25)


@kernel
def run_program(code, constants, addresses, steps, used, lines, length):
    """Run `code` over `lines` lines of `length` cells.

    `code` rows are (operation, target, a, b, c) in registers. Registers below `used` stand for inputs, the
    next ones hold `constants`; the last instruction gives the result. `addresses` are those of the first
    cell of each input and of the result, `steps` the cells from one line of it to the next. The caller keeps
    the memory alive.
    """
    widest_vectors()
    r = np.empty((REGISTERS, TILE), np.float32)
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    one = np.float32(1)
    zero = np.float32(0)
    for i in range(constants.shape[0]):
        for s in range(TILE):
            r[used + i, s] = constants[i]
    registers = r.ctypes.data
    last = code.shape[0] - 1
    for tile in range(lines * -(-length // TILE)):
        line = tile // -(-length // TILE)
        start = (tile - line * -(-length // TILE)) * TILE
        n = min(TILE, length - start)
        for i in range(last + 1):
            op = code[i, 0]
            j = code[i, 2]
            k = code[i, 3]
            m = code[i, 4]
            to = (
                addresses[used] + 4 * (line * steps[used] + start)
                if i == last
                else registers + 4 * TILE * code[i, 1]
            )
            j = addresses[j] + 4 * (line * steps[j] + start) if j < used else registers + 4 * TILE * j
            k = addresses[k] + 4 * (line * steps[k] + start) if k < used else registers + 4 * TILE * k
            m = addresses[m] + 4 * (line * steps[m] + start) if m < used else registers + 4 * TILE * m
            o = carray(pointer(to), n)
            a = carray(pointer(j), n)
            b = carray(pointer(k), n)
            c = carray(pointer(m), n)
            # v + v * 0 is v, and NaN where v is infinite: one fused instruction instead of three
            if op == ADD:
                for s in range(n):
                    v = a[s] + b[s]
                    o[s] = v + v * zero
            elif op == SUB:
                for s in range(n):
                    v = a[s] - b[s]
                    o[s] = v + v * zero
            elif op == MUL:
                for s in range(n):
                    v = a[s] * b[s]
                    o[s] = v + v * zero
            elif op == DIV:
                for s in range(n):
                    v = a[s] / b[s]
                    o[s] = v + v * zero
            elif op == MAXIMUM:
                for s in range(n):
                    o[s] = a[s] if (a[s] >= b[s]) | (a[s] != a[s]) else b[s]
            elif op == MINIMUM:
                for s in range(n):
                    o[s] = a[s] if (a[s] <= b[s]) | (a[s] != a[s]) else b[s]
            elif op == GT:
                for s in range(n):
                    v = one if a[s] > b[s] else zero
                    o[s] = v if (a[s] == a[s]) & (b[s] == b[s]) else nan
            elif op == GE:
                for s in range(n):
                    v = one if a[s] >= b[s] else zero
                    o[s] = v if (a[s] == a[s]) & (b[s] == b[s]) else nan
            elif op == EQ:
                for s in range(n):
                    v = one if a[s] == b[s] else zero
                    o[s] = v if (a[s] == a[s]) & (b[s] == b[s]) else nan
            elif op == NE:
                for s in range(n):
                    v = one if a[s] != b[s] else zero
                    o[s] = v if (a[s] == a[s]) & (b[s] == b[s]) else nan
            elif op == AND:
                for s in range(n):
                    v = one if (a[s] != zero) & (b[s] != zero) else zero
                    o[s] = v if (a[s] == a[s]) & (b[s] == b[s]) else nan
            elif op == OR:
                for s in range(n):
                    v = one if (a[s] != zero) | (b[s] != zero) else zero
                    o[s] = v if (a[s] == a[s]) & (b[s] == b[s]) else nan
            elif op == NEG:
                for s in range(n):
                    o[s] = -a[s]
            elif op == ABS:
                for s in range(n):
                    o[s] = abs(a[s])
            elif op == SIGN:
                for s in range(n):
                    v = one if a[s] > zero else zero
                    v = -one if a[s] < zero else v
                    o[s] = v if a[s] == a[s] else nan
            elif op == SQRT:
                for s in range(n):
                    o[s] = np.sqrt(a[s])
            elif op == FLOOR:
                for s in range(n):
                    o[s] = np.floor(a[s])
            elif op == CEIL:
                for s in range(n):
                    o[s] = np.ceil(a[s])
            elif op == ROUND:
                for s in range(n):
                    o[s] = np.rint(a[s])
            elif op == FRACTION:
                for s in range(n):
                    v = abs(a[s]) - np.floor(abs(a[s]))
                    o[s] = -v if a[s] < zero else v
            elif op == NOT:
                for s in range(n):
                    v = one if a[s] == zero else zero
                    o[s] = v if a[s] == a[s] else nan
            elif op == IS_MISSING:
                for s in range(n):
                    o[s] = zero if a[s] == a[s] else one
            elif op == FILL:
                for s in range(n):
                    v = b[s]
                    o[s] = a[s] if a[s] == a[s] else v
            elif op == WHERE:
                for s in range(n):
                    # both branches are loaded: a load under a condition would not vectorise
                    v, w = b[s], c[s]
                    v = v if a[s] != zero else w
                    o[s] = v if a[s] == a[s] else nan
            else:
                for s in range(n):
                    v = a[s]
                    o[s] = v if abs(v) < top else nan
    r[0, 0] = zero  # keeps the registers until here: by address alone they would be let go
