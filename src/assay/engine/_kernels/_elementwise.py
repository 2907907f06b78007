"""Chains of element-wise operations in one pass.

A program is a list of instructions over registers that hold one tile of a panel each, small enough for the
nearest cache. A chain of element-wise nodes thus reads its inputs once and writes its result once, and
nothing is compiled per formula: the program is data.
"""

from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel

TILE = 1024
INPUTS = 4
REGISTERS = 12

ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM = range(6)
GT, GE, EQ, NE, AND, OR = range(6, 12)
NEG, ABS, SIGN, SQRT, FLOOR, CEIL, ROUND, FRACTION = range(12, 20)
NOT, IS_MISSING, FILL, WHERE, CUT = range(20, 25)


@kernel
def run_program(code, constants, used, x0, x1, x2, x3, left, right, out):
    """Run `code` over columns `left` to `right` of panels, at most TILE of them.

    `code` rows are (operation, target, a, b, c) in registers. Registers below `used` hold the inputs x0 to
    x3, the next ones hold `constants`; the last instruction gives the result.
    """
    rows = out.shape[0]
    width = right - left
    height = TILE // width
    r = np.empty((REGISTERS + 1, TILE), np.float32)
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    one = np.float32(1)
    zero = np.float32(0)
    for i in range(constants.shape[0]):
        for s in range(TILE):
            r[used + i, s] = constants[i]
    for start in range(0, rows, height):
        m = min(height, rows - start)
        n = m * width
        for i in range(used):
            for k in range(m):
                if i == 0:
                    source = x0[start + k, left:right]
                elif i == 1:
                    source = x1[start + k, left:right]
                elif i == 2:
                    source = x2[start + k, left:right]
                else:
                    source = x3[start + k, left:right]
                target = r[i, k * width : (k + 1) * width]
                for s in range(width):
                    target[s] = source[s]
        for i in range(code.shape[0]):
            op = code[i, 0]
            o = r[REGISTERS, 0:n] if i == code.shape[0] - 1 else r[code[i, 1], 0:n]
            a = r[code[i, 2], 0:n]
            b = r[code[i, 3], 0:n]
            c = r[code[i, 4], 0:n]
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
        for k in range(m):
            source = r[REGISTERS, k * width : (k + 1) * width]
            target = out[start + k, left:right]
            for s in range(width):
                target[s] = source[s]
