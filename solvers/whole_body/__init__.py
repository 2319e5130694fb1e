"""Whole-body inverse kinematics in steps: the joints of a body with a fixed or floating base make its links
follow target poses.
"""
