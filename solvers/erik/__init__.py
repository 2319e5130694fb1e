"""ERIK, expressive inverse kinematics (Ribeiro & Paiva 2019). Main loop, phases, coordinate descent and
errors are files of their own, as they are parts of the paper's overview (Figure 14).

The names follow the paper's text: a link is a joint and the unit segment that it carries, its basis is its
frame before its own rotation, a twister rotates about its own segment, and a hinge rotates about another
axis. Section, equation and algorithm numbers are the paper's.
"""
