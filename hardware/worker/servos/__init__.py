"""Connections to servos that a codec speaks to: what is asked, checked, sent and measured."""
