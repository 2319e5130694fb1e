"""The error that is raised if a Parquet file cannot be read."""


class ParquetError(ValueError):
    """A Parquet file is damaged, or uses an unsupported feature; the message says what was expected and
    found.
    """
