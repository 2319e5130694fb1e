#include "dense.h"

#include "least_squares.h"
#include "turns.h"

#define ORTHOGONAL 1e-15 /* cosine between rows, and ratio to the longest row, below which there is only rounding */
#define MOST_SWEEPS 40

void square_rows(int n, int width, const double *a, double *square) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) row_of(square, i, n)[j] = dot_of(line_of(a, i, width), line_of(a, j, width), width);
}

double regularise(int n, double *square, double damping) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += row_of(square, i, n)[i];
    double added = damping + REDUNDANT * sum + TINY;
    for (int i = 0; i < n; i++) row_of(square, i, n)[i] += added;
    return added;
}

void factorise(int n, double *square, double least) {
    for (int i = 0; i < n; i++) {
        double *row = row_of(square, i, n);
        for (int j = 0; j < i; j++) {
            const double *other = line_of(square, j, n);
            row[j] = (row[j] - dot_of(row, other, j)) * other[j];
        }
        row[i] = 1.0 / sqrt(larger(row[i] - dot_of(row, row, i), least));
    }
}

void solve_factorised(int n, const double *factor, int width, double *x) {
    for (int i = 0; i < n; i++) {
        const double *row = line_of(factor, i, n);
        double *here = row_of(x, i, width);
        if (width == 1)
            *here -= dot_of(row, x, i);
        else
            for (int j = 0; j < i; j++) add_multiple(-row[j], row_of(x, j, width), here, width);
        for (int k = 0; k < width; k++) here[k] *= row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = line_of(factor, i, n);
        double *here = row_of(x, i, width);
        for (int k = 0; k < width; k++) here[k] *= row[i];
        if (width == 1)
            add_multiple(-*here, row, x, i);
        else
            for (int j = 0; j < i; j++) add_multiple(-row[j], here, row_of(x, j, width), width);
    }
}

double determinant(int n, double *a) {
    double product = 1.0;
    for (int i = 0; i < n; i++) {
        int pivot = i;
        for (int j = i + 1; j < n; j++)
            if (fabs(row_of(a, j, n)[i]) > fabs(row_of(a, pivot, n)[i])) pivot = j;
        double *row = row_of(a, i, n), *other = row_of(a, pivot, n);
        if (pivot != i) {
            for (int k = i; k < n; k++) {
                double entry = row[k];
                row[k] = other[k], other[k] = entry;
            }
            product = -product;
        }
        product *= row[i];
        if (row[i] == 0.0) return 0.0;
        for (int j = i + 1; j < n; j++) {
            double *below = row_of(a, j, n);
            add_multiple(-below[i] / row[i], row + i + 1, below + i + 1, n - i - 1);
        }
    }
    return product;
}

/* Rotates two rows of equal width into each other, in place. */
static void rotate_rows(double *a, double *b, int width, double cosine, double sine) {
    for (int k = 0; k < width; k++) {
        double x = a[k], y = b[k];
        a[k] = cosine * x - sine * y;
        b[k] = sine * x + cosine * y;
    }
}

void singular_rows(int n, int width, double *a, double *left, double *sizes) {
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = larger(most, dot_of(row_of(a, i, width), row_of(a, i, width), width));
        for (int j = 0; left && j < n; j++) row_of(left, i, n)[j] = i == j;
    }
    double rounding = ORTHOGONAL * ORTHOGONAL * most;
    int is_done = 0;
    for (int sweep = 0; sweep < MOST_SWEEPS && !is_done; sweep++) {
        is_done = 1;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                double *first = row_of(a, i, width), *second = row_of(a, j, width);
                double p = dot_of(first, first, width), q = dot_of(second, second, width);
                double mixed = dot_of(first, second, width);
                if (!(p > rounding && q > rounding && fabs(mixed) > ORTHOGONAL * sqrt(p) * sqrt(q))) continue;
                double half = 0.5 * (q - p) / mixed;
                double tangent = (half < 0.0 ? -1.0 : 1.0) / (fabs(half) + sqrt(1.0 + half * half));
                double cosine = 1.0 / sqrt(1.0 + tangent * tangent);
                rotate_rows(first, second, width, cosine, cosine * tangent);
                if (left) rotate_rows(row_of(left, i, n), row_of(left, j, n), n, cosine, cosine * tangent);
                is_done = 0;
            }
    }
    for (int i = 0; i < n; i++) sizes[i] = sqrt(dot_of(row_of(a, i, width), row_of(a, i, width), width));
}
