"""Inputs from other programs and people: OSC over UDP, the page in a browser, and the commands that they have
in common.
"""
