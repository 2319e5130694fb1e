#include "step.h"

#include <string.h>

#include "vectors.h"

#define SAME_ANGLE 1e-9 /* solvers/tolerances.py */
#define ROUNDING 1e-15  /* of a diagonal entry: a smaller pivot has no digits */
#define TINY 1.4916681462400413e-154 /* solvers/tolerances.py */

size_t boxed_scratch(int n) { return (size_t)n * (size_t)n + 3 * (size_t)n; }

/* Solves A x = b in place, with A's lower triangle in `a` (n, n), which becomes its factors L D L'. */
static void solve(int n, double *a, double *x) {
    for (int i = 0; i < n; i++) {
        double *row = a + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++) { /* row[j] is L_ij D_j */
            const double *other = a + (size_t)j * (size_t)n;
            double sum = row[j];
            for (int k = 0; k < j; k++) sum -= row[k] * other[k];
            row[j] = sum;
        }
        double pivot = row[i], value = x[i], least = ROUNDING * pivot + TINY;
        for (int j = 0; j < i; j++) {
            double scaled = row[j] / a[(size_t)j * (size_t)n + (size_t)j];
            pivot -= scaled * row[j];
            row[j] = scaled;
            value -= scaled * x[j];
        }
        row[i] = larger(pivot, least);
        x[i] = value;
    }
    for (int i = 0; i < n; i++) x[i] /= a[(size_t)i * (size_t)n + (size_t)i];
    for (int i = n - 1; i > 0; i--) {
        const double *row = a + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++) x[j] -= row[j] * x[i];
    }
}

void boxed(int n, const double *matrix, const double *descent, const double *least, const double *most, int passes,
           double *x, double *scratch) {
    double *factors = scratch, *held = factors + (size_t)n * (size_t)n, *place = held + n, stiffest = 0.0;
    for (int i = 0; i < n; i++) {
        stiffest = larger(stiffest, matrix[(size_t)i * (size_t)n + (size_t)i]);
        held[i] = least[i] == 0.0 || most[i] == 0.0, place[i] = 0.0;
    }
    double spring = stiffest / SAME_ANGLE;
    for (int pass = 1;; pass++) {
        int changed = 0;
        memcpy(factors, matrix, sizeof *factors * (size_t)n * (size_t)n);
        for (int i = 0; i < n; i++) {
            x[i] = descent[i];
            if (held[i] == 0.0) continue;
            factors[(size_t)i * (size_t)n + (size_t)i] += spring;
            x[i] += spring * place[i];
        }
        solve(n, factors, x);
        for (int i = 0; i < n; i++) {
            double beyond = x[i] <= least[i] || x[i] >= most[i];
            changed |= beyond != held[i];
            held[i] = beyond;
            place[i] = clamped(x[i], least[i], most[i]);
        }
        if (!changed || pass >= passes) break;
    }
    for (int i = 0; i < n; i++) x[i] = place[i];
}
