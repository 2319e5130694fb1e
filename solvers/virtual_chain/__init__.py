"""The chain of virtual unit links that the ERIK paper sees in a skeleton (Ribeiro & Paiva 2019), and its
posture error.

ERIK solves on it; all solvers tell its posture error. Numbers of sections, equations and algorithms are the
paper's.
"""
