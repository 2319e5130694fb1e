"""Whole-body inverse kinematics in steps: joints on a fixed or floating base follow poses of links."""
