"""The Jacobian family of solvers (Buss 2009): transpose, pseudoinverse, damped and selectively damped least
squares, and task priorities.
"""
