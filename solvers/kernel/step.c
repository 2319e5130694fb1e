#include "step.h"

#include "tolerances.h"
#include "vectors.h"

#define ROWS 4           /* rows that are factored together */
#define ROUNDING 1e-15  /* fraction of a diagonal entry: a smaller pivot has no significant digits */

size_t boxed_scratch(int n) { return (size_t)n * (size_t)n + 3 * (size_t)n; }

/* Subtracts from ROWS consecutive rows, for each column j < i, the products with the rows above: each sum in the order of
 * its columns, as one row alone. The sums do not wait for each other. */
static void eliminate(int i, int width, double *a) {
    double *first = a + (size_t)i * (size_t)width, *second = first + width, *third = second + width,
           *fourth = third + width;
    for (int j = 0; j < i; j++) {
        const double *other = a + (size_t)j * (size_t)width;
        double sum = first[j], sum2 = second[j], sum3 = third[j], sum4 = fourth[j];
        for (int k = 0; k < j; k++) {
            sum -= first[k] * other[k];
            sum2 -= second[k] * other[k];
            sum3 -= third[k] * other[k];
            sum4 -= fourth[k] * other[k];
        }
        first[j] = sum, second[j] = sum2, third[j] = sum3, fourth[j] = sum4;
    }
}

/* Same as `factor_positive`; if not `is_positive`, pivots may be negative. */
static void factor_symmetric(int n, int width, int is_positive, double *a) {
    for (int i = 0, begun = 0; i < n; i++) {
        if (i % ROWS == 0) begun = i + ROWS <= n ? (eliminate(i, width, a), i) : 0;
        double *row = a + (size_t)i * (size_t)width;
        for (int j = begun; j < i; j++) { /* row[j] is L_ij D_j */
            const double *other = a + (size_t)j * (size_t)width;
            double sum = row[j];
            for (int k = 0; k < j; k++) sum -= row[k] * other[k];
            row[j] = sum;
        }
        double pivot = row[i], least = ROUNDING * pivot + TINY;
        for (int j = 0; j < i; j++) {
            double scaled = row[j] / a[(size_t)j * (size_t)width + (size_t)j];
            pivot -= scaled * row[j];
            row[j] = scaled;
        }
        row[i] = is_positive || fabs(pivot) < least ? larger(pivot, least) : pivot;
    }
}

void solve_forward(int n, int width, const double *a, double *x) {
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) x[i] -= a[(size_t)i * (size_t)width + (size_t)j] * x[j];
}

void solve_backward(int n, int width, const double *a, double *x) {
    for (int i = 0; i < n; i++) x[i] /= a[(size_t)i * (size_t)width + (size_t)i];
    for (int i = n - 1; i > 0; i--) {
        const double *row = a + (size_t)i * (size_t)width;
        for (int j = 0; j < i; j++) x[j] -= row[j] * x[i];
    }
}

void factor_positive(int n, int width, double *a) { factor_symmetric(n, width, 1, a); }

/* Same as `solve_positive`; if not `is_positive`, pivots may be negative. */
static void solve_symmetric(int n, int width, int is_positive, double *a, double *x) {
    factor_symmetric(n, width, is_positive, a);
    solve_forward(n, width, a, x);
    solve_backward(n, width, a, x);
}

void solve_positive(int n, int width, double *a, double *x) { solve_symmetric(n, width, 1, a, x); }

/* Minimises over the free unknowns, with the active ones at `place`; x is the whole point. */
static void minimum(int n, int is_positive, const double *matrix, const double *descent, const double *held,
                    const double *place, double *x, double *factors, double *reduced) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        const double *row = matrix + (size_t)i * (size_t)n;
        if (held[i] != 0.0) continue;
        double value = descent[i];
        int column = 0;
        for (int j = 0; j < n; j++) {
            double entry = j <= i ? row[j] : matrix[(size_t)j * (size_t)n + (size_t)i];
            if (held[j] != 0.0)
                value -= entry * place[j];
            else if (j <= i)
                factors[(size_t)count * (size_t)n + (size_t)column++] = entry;
        }
        reduced[count++] = value;
    }
    solve_symmetric(count, n, is_positive, factors, reduced);
    count = 0;
    for (int i = 0; i < n; i++) x[i] = held[i] != 0.0 ? place[i] : reduced[count++];
}

/* Negative gradient with respect to unknown i. */
static double slope_of(int n, const double *matrix, const double *descent, const double *x, int i) {
    double slope = descent[i];
    for (int j = 0; j < n; j++)
        slope -= x[j] * (j <= i ? matrix[(size_t)i * (size_t)n + (size_t)j] : matrix[(size_t)j * (size_t)n + (size_t)i]);
    return slope;
}

/* Writes to x (n,) the minimum within bounds, by an active-set method with at most `passes` passes. */
static void solve_box(int n, int is_positive, const double *matrix, const double *descent, const double *least,
                      const double *most, int passes, double *x, double *scratch) {
    double *factors = scratch, *held = factors + (size_t)n * (size_t)n, *place = held + n, *reduced = place + n;
    for (int i = 0; i < n; i++) held[i] = least[i] == 0.0 || most[i] == 0.0, place[i] = 0.0;
    for (int pass = 1;; pass++) {
        int changed = 0;
        minimum(n, is_positive, matrix, descent, held, place, x, factors, reduced);
        for (int i = 0; i < n; i++) {
            double outward = held[i] != 0.0 && pass < passes ? slope_of(n, matrix, descent, x, i) : 0.0;
            double beyond = (x[i] <= least[i] && outward <= 0.0) || (x[i] >= most[i] && outward >= 0.0);
            changed |= beyond != held[i];
            reduced[i] = beyond;
        }
        for (int i = 0; i < n; i++) held[i] = reduced[i], place[i] = clamped(x[i], least[i], most[i]);
        if (!changed || pass >= passes) break;
    }
    for (int i = 0; i < n; i++) x[i] = place[i];
}

void boxed(int n, const double *matrix, const double *descent, const double *least, const double *most, int passes,
           double *x, double *scratch) {
    solve_box(n, 1, matrix, descent, least, most, passes, x, scratch);
}

void boxed_stationary(int n, const double *matrix, const double *descent, const double *least, const double *most,
                      int passes, double *x, double *scratch) {
    solve_box(n, 0, matrix, descent, least, most, passes, x, scratch);
}
