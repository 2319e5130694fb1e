"""Operators that set up chains, bodies, postures, targets and the behaviour, and add or import robots."""
