#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compute sim/core/gr3d/special_table.h: the coefficients of the unit for special functions.

A function is a polynomial of the second degree in each of 64 or 128 intervals. The coefficients are
those of the minimax polynomial, rounded one by one as Pineiro, Oberman, Muller and Bruguera describe
("High-Speed Function Approximation using a Minimax Quadratic Interpolator", 2005). First comes that of
degree 1. That of degree 2 then makes up for its error, and the constant halves what is left. Widths
are those that envytools' hwtest read out of cards, and so are the seven constants of ADJUSTED.
"""
import math
import sys

# Name, intervals, size of an interval, binary digits of the three coefficients, the function at
# the start of interval i
FUNCTIONS = (
    ("rcp", 128, 1 / 128, (26, 16, 10), lambda i: lambda t: 1 / (1 + i / 128 + t)),
    ("rsqrt", 128, 1 / 64, (26, 17, 11), lambda i: lambda t: inverse_root(i, t)),
    ("sin", 64, 1 / 64, (25, 14, 10), lambda i: lambda t: math.sin((i / 64 + t) * math.pi / 2)),
    ("ex2", 64, 1 / 64, (26, 16, 12), lambda i: lambda t: 2 ** (i / 64 + t) / 2),
    ("lg2", 64, 1 / 64, (26, 15, 10), lambda i: lambda t: math.log2(1 + i / 64 + t)),
)

# What cards have added to these constants, in the unit of their last digit
ADJUSTED = {
    ("rsqrt", 29): 1,
    ("rsqrt", 70): 1,
    ("rsqrt", 76): 1,
    ("sin", 0): 1,
    ("sin", 2): -1,
    ("sin", 18): -1,
    ("sin", 46): -1,
}


def inverse_root(i, t):
    """The second half of the intervals is of arguments from 2 to 4."""
    return 1 / math.sqrt((1 + i // 64) * (1 + i % 64 / 64 + t))


def solved(rows):
    """Gauss' elimination; the last number of a row is its right side."""
    for at, row in enumerate(rows):
        best = max(range(at, len(rows)), key=lambda other: abs(rows[other][at]))
        rows[at], rows[best] = rows[best], row
        for other in rows[at + 1 :]:
            factor = other[at] / rows[at][at]
            for column in range(at, len(other)):
                other[column] -= factor * rows[at][column]
    result = [0.0] * len(rows)
    for at in reversed(range(len(rows))):
        known = sum(a * b for a, b in zip(rows[at][at + 1 :], result[at + 1 :]))
        result[at] = (rows[at][-1] - known) / rows[at][at]
    return result


def extreme(error, low, high):
    """Where the error, of one sign between its zeros, is largest."""
    for _ in range(60):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        if abs(error(left)) < abs(error(right)):
            low = left
        else:
            high = right
    return (low + high) / 2


def minimax(function, size):
    """Remez' algorithm: the polynomial whose error has four equal extremes."""
    places = [0, size / 4, size * 3 / 4, size]
    for _ in range(6):
        rows = [[1, t, t * t, (-1) ** n, function(t)] for n, t in enumerate(places)]
        a = solved(rows)

        def error(t, a=a):
            return function(t) - a[0] - (a[1] + a[2] * t) * t

        middle = (places[1] + places[2]) / 2
        places[1] = extreme(error, places[1] / 2, middle)
        places[2] = extreme(error, middle, (places[2] + size) / 2)
    return a[:3]


def coefficients(function, size, digits):
    """As integers in the unit of their last digits"""
    a = minimax(function, size)
    first = round(math.ldexp(a[1], digits[1]))
    linear = math.ldexp(first, -digits[1])
    second = round(math.ldexp(a[2] + (a[1] - linear) / size, digits[2]))
    square = math.ldexp(second, -digits[2])
    left = [
        function(t) - linear * t - square * t * t for t in (size * n / 256 for n in range(257))
    ]
    return round(math.ldexp((min(left) + max(left)) / 2, digits[0])), first, second


def row(name, i, values):
    """Of the constant of sin a card has one digit more, which is 0."""
    constant = values[0] + ADJUSTED.get((name, i), 0)
    if name == "sin":
        constant *= 2
    return f"{{ {constant:#x}, {values[1]}, {values[2]} }},"


def main():
    print("/* SPDX-License-Identifier: MIT */")
    print("/* Made by special_table.py, which says how: constant, degree 1, degree 2 */")
    for name, count, size, digits, function in FUNCTIONS:
        print(f"\nstatic const struct coefficients {name}_table[{count}] = {{")
        rows = [row(name, i, coefficients(function(i), size, digits)) for i in range(count)]
        for at in range(0, count, 3):
            print("\t" + " ".join(rows[at : at + 3]))
        print("};")
    return 0


if __name__ == "__main__":
    sys.exit(main())
