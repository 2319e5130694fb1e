"""Clips of motion capture: read from files, followed by a robot frame by frame, checked, and returned as the
robot's motion.
"""
