"""The error of reading a Parquet file."""


class ParquetError(ValueError):
    """A Parquet file is damaged, or uses an unsupported feature; the message says what was expected and
    found.
    """
