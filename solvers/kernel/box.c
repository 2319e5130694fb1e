/* Bounded least squares by a warm-started active set: block principal pivoting (Portugal, Judice & Vicente 1994), where
 * all unknowns that are wrongly free or wrongly at a bound change at once. Where that no longer helps, they change one at
 * a time, which lowers the objective each time (a primal active set; Nocedal & Wright 2006, 16.5). Source:
 * solvers/least_squares/box.py. */
#include "articulated.h"
#include "tolerances.h"
#include "vectors.h"

/* rounds without progress after which bounds are changed one by one (solvers/least_squares/box.py) */
#define PATIENCE 3

static int is_pinned(const struct least_squares *problem, int i) { return problem->lower[i] == problem->upper[i]; }

/* Euclidean norm. */
static double size_of(const double *x, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Pinned unknowns are active; those whose bounds have become infinite are not. */
static void tidy(const struct least_squares *problem, int8_t *sides) {
    for (int i = 0; i < BASE + problem->body->joints; i++) {
        if (is_pinned(problem, i)) sides[i] = 1;
        if (sides[i] && isinf(sides[i] < 0 ? problem->lower[i] : problem->upper[i])) sides[i] = 0;
    }
}

/* The side of an unknown after a round: at the bound that a step down the gradient crosses (Hintermueller, Ito & Kunisch
 * 2002), but from one bound to the other only after a round in which it is free. Negative `rounding`: all slopes
 * are 0. */
static int following_side(const struct least_squares *problem, int i, int side, double tolerance, double rounding) {
    double ahead = problem->x[i];
    if (rounding >= 0.0) ahead += (tolerance + rounding) * side - problem->slope[i] / problem->steepest;
    int next = (ahead > problem->upper[i] + tolerance) - (ahead < problem->lower[i] - tolerance);
    return next * side < 0 ? 0 : next;
}

/* Solution from x within bounds by a primal active set, after `rounds` linear solves. */
static int descend_in_box(struct least_squares *problem, int8_t *sides, int rounds, int *stopped) {
    int count = BASE + problem->body->joints;
    double *at = problem->start, *x = problem->x;
    const double *lower = problem->lower, *upper = problem->upper;
    for (int i = 0; i < count; i++) {
        at[i] = clamped(x[i], lower[i], upper[i]);
        sides[i] = (int8_t)(is_pinned(problem, i) ? 1 : (at[i] >= upper[i]) - (at[i] <= lower[i]));
    }
    for (;;) {
        least(problem, sides);
        rounds++;
        double share = 1.0;
        int nearest = -1;
        for (int i = 0; i < count; i++) {
            double step = x[i] - at[i], room = (step > 0.0 ? upper[i] : lower[i]) - at[i];
            if (sides[i] || !(fabs(step) > fabs(room)) || room / step >= share) continue;
            share = room / step, nearest = i;
        }
        int is_upward = nearest >= 0 && x[nearest] > at[nearest];
        for (int i = 0; i < count; i++) at[i] = clamped(at[i] + share * (x[i] - at[i]), lower[i], upper[i]);
        if (nearest >= 0) {
            sides[nearest] = is_upward ? 1 : -1;
        } else {
            double most = EXACT * (larger(1.0, size_of(at, count)) * problem->steepest + problem->largest);
            int steepest = -1;
            for (int i = 0; i < count; i++) {
                double inward = is_pinned(problem, i) ? 0.0 : problem->slope[i] * sides[i];
                if (inward > most) most = inward, steepest = i;
            }
            if (steepest < 0) break;
            sides[steepest] = 0;
        }
        if (rounds >= problem->most_rounds) {
            *stopped = 1;
            break;
        }
    }
    for (int i = 0; i < count; i++) x[i] = at[i];
    return rounds;
}

int box_minimum(struct least_squares *problem, int8_t *sides, int *stopped) {
    int count = BASE + problem->body->joints, fewest = count + 1, patience = PATIENCE, rounds = 0;
    double *x = problem->x;
    for (;;) {
        tidy(problem, sides);
        least(problem, sides);
        rounds++;
        double size = size_of(x, count), tolerance = EXACT * larger(1.0, size), rounding = -1.0;
        int changed = 0;
        for (int i = 0; i < count; i++)
            if (problem->slope[i] != 0.0) rounding = EXACT * larger(size, problem->largest / problem->steepest);
        for (int i = 0; i < count; i++)
            changed += !is_pinned(problem, i) && following_side(problem, i, sides[i], tolerance, rounding) != sides[i];
        if (!changed) break;
        if (changed < fewest)
            fewest = changed, patience = PATIENCE;
        else
            patience--;
        if (patience < 0) return descend_in_box(problem, sides, rounds, stopped);
        for (int i = 0; i < count; i++)
            sides[i] = (int8_t)following_side(problem, i, sides[i], tolerance, rounding);
    }
    for (int i = 0; i < count; i++) x[i] = clamped(x[i], problem->lower[i], problem->upper[i]);
    return rounds;
}
