"""The expressive solver's measure for character rigs: rotations of bones against the authored pose, roll
included.
"""
