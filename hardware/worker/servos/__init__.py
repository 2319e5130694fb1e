"""Connections to servos with any codec: queries, checks, goals and measurements."""
