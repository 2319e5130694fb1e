"""Amounts as text, for messages."""


def rounded(amount: float, digits: int = 2) -> str:
    """An amount with `digits` significant digits; in usual ranges without an exponent (180, not 1.8e+02)."""
    return f"{float(f'{amount:.{digits}g}'):g}"
