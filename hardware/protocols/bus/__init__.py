"""Servos on a bus, each with an id and a register table: the common part of Feetech's and Dynamixel's
protocols.
"""
