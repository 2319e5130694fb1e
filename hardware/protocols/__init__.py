"""Protocols of robots and servos: codecs, decoders and messages, independent of ports, clocks and threads."""
