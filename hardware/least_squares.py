"""Least-squares inverse of a small matrix, in plain floats. Knows no Blender."""

from __future__ import annotations

import math
from collections.abc import Sequence

SINGULAR = 1e-6  # smallest share of a column that is independent of the others: below it a joint cannot be told from the others


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """The scalar product."""
    return math.fsum(p * q for p, q in zip(a, b, strict=True))


def least_squares_inverse(matrix: Sequence[tuple[float, ...]]) -> tuple[tuple[float, ...], ...] | None:
    """Least-squares inverse of a (channels, joints) matrix by Gram-Schmidt; None where its rank is below the number of joints."""
    columns = [[row[k] for row in matrix] for k in range(len(matrix[0]))]
    basis: list[list[float]] = []
    parts: list[list[float]] = []  # of each column along the basis: an upper triangle
    for column in columns:
        rest, along, size = list(column), [], math.sqrt(dot(column, column))
        for direction in basis:
            part = dot(direction, rest)
            along.append(part)
            rest = [value - part * other for value, other in zip(rest, direction, strict=True)]
        length = math.sqrt(dot(rest, rest))
        if length <= SINGULAR * size:
            return None
        basis.append([value / length for value in rest])
        parts.append([*along, length])
    inverse: list[list[float]] = [[] for _ in columns]
    for k in reversed(range(len(columns))):
        row = list(basis[k])
        for j in range(k + 1, len(columns)):
            row = [value - parts[j][k] * other for value, other in zip(row, inverse[j], strict=True)]
        inverse[k] = [value / parts[k][k] for value in row]
    return tuple(tuple(row) for row in inverse)
