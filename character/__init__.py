"""The engine: computes a character's motion frame by frame. A mover is what moves as one: a chain, a
mechanism with closed loops, or a whole body. Independent of hardware and of the clock.
"""
