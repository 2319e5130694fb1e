"""Inverse kinematics of bodies and joints with closed loops; every solution keeps the loops closed."""
