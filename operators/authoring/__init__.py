"""Operators that set up rigs, chains, postures and targets."""
