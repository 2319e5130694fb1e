"""The expressive solver for character rigs: it measures how much bones rotate away from the authored pose,
roll included.
"""
