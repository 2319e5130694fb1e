"""Parquet tables of numbers, read and written without a library.

Source: the Apache Parquet format, 2.11.
"""

from .errors import ParquetError
from .reading import ParquetTable
from .writing import Column, Texts, encode

__all__ = ["Column", "ParquetError", "ParquetTable", "Texts", "encode"]
