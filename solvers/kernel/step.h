/* Steps: the minimum of a quadratic within bounds. Source: solvers/least_squares/boxes.py. */
#ifndef LIMBER_STEP_H
#define LIMBER_STEP_H

#include <stddef.h>

#define PASSES 8 /* most iterations of the active set in one step; source: solvers/expressive/descent.py */

/* The factors L D L' of A in place of its lower triangle (n, n) in rows of `width` numbers: D on the diagonal. */
void factor_positive(int n, int width, double *a);

/* Solves L x = b, and D L' x = b, in place; A has its factors. */
void solve_forward(int n, int width, const double *a, double *x);
void solve_backward(int n, int width, const double *a, double *x);

/* Solves A x = b in place; A is factored. */
void solve_positive(int n, int width, double *a, double *x);

/* Size of the scratch memory that `boxed` needs for n unknowns, in numbers. */
size_t boxed_scratch(int n);

/* Minimises x' H x / 2 - g' x within bounds; `matrix` (n, n) has H's lower triangle and is
 * positive definite. An active unknown stays active while the objective falls beyond its bound; after `passes`
 * linear solves x is the nearest point within bounds. */
void boxed(int n, const double *matrix, const double *descent, const double *least, const double *most, int passes,
           double *x, double *scratch);

/* The same for a symmetric matrix that may have negative eigenvalues: finds the stationary point instead
   of the minimum. */
void boxed_stationary(int n, const double *matrix, const double *descent, const double *least, const double *most,
                      int passes, double *x, double *scratch);

#endif
