"""The Jacobian family (Buss 2009): transpose, pseudoinverse, damped and selectively damped least squares,
priorities.
"""
