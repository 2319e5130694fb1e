"""The worker process, which talks to the robot: it checks, interpolates and limits joint values, sends them
as servo positions, and reports what the robot does.
"""
