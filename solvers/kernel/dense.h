/* Small dense matrices, row by row: products, Cholesky factors of positive definite matrices, determinants and singular
 * values. */
#ifndef LIMBER_DENSE_H
#define LIMBER_DENSE_H

#include <stddef.h>

/* Sum of products of n numbers, in four parallel sums. */
static inline double dot_of(const double *a, const double *b, int n) {
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

/* out (n,) += factor a */
static inline void add_multiple(double factor, const double *restrict a, double *restrict out, int n) {
    for (int i = 0; i < n; i++) out[i] += factor * a[i];
}

/* Start of a row of a matrix with rows of this width; `line_of` for a matrix that is only read. */
static inline double *row_of(double *matrix, int row, int width) { return matrix + (size_t)row * (size_t)width; }
static inline const double *line_of(const double *matrix, int row, int width) {
    return matrix + (size_t)row * (size_t)width;
}

/* Lower triangle of the products of all rows of a (n, width), in square (n, n). */
void square_rows(int n, int width, const double *a, double *square);

/* Adds damping, and a little more against redundant rows, to the diagonal (`damping.regularise`); returns
   the added amount. */
double regularise(int n, double *square, double damping);

/* The Cholesky factor of a positive definite matrix, from its lower triangle, in place, with the reciprocals of its
 * diagonal. Pivots below `least`, a lower bound on the eigenvalues, are rounding errors and are raised to it. */
void factorise(int n, double *square, double least);

/* Solves for the columns of x (n, width), in place. */
void solve_factorised(int n, const double *factor, int width, double *x);

/* The determinant of a (n, n), which is destroyed, by elimination with row exchanges. */
double determinant(int n, double *a);

/* Singular values by one-sided Jacobi rotations (Hestenes 1958; Golub & Van Loan, 8.6.3): rotates the rows of a (n, width)
 * until they are orthogonal. Then row i is sizes[i] times its right singular vector; `left` (n, n) gets the left ones, as
 * rows, unless it is NULL. */
void singular_rows(int n, int width, double *a, double *left, double *sizes);

#endif
