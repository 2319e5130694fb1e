"""What reading a Parquet file raises. Knows no Blender."""


class ParquetError(ValueError):
    """A Parquet file is damaged, or has what is not read here; the message says what was expected and found."""
