"""The chain of virtual unit links that the ERIK paper sees in a skeleton (Ribeiro & Paiva 2019), and its
posture error.

ERIK works on this chain; all solvers report its posture error. Numbers of sections, equations and algorithms
refer to the paper.
"""
