"""Dynamixel's X series, protocol 2.0."""
