#include "seeds.h"

#include <string.h>

#include "vectors.h"

/* number of root angles, and positions in a joint's range, that are tried as starts (solvers/expressive/seeds.py) */
#define ROOT_TURNS 8
static const double NEAR_SHARES[4] = {0.05, 0.35, 0.65, 0.95};

/* Adds a start with this side and weight of its shape; returns the row (n,) for its angles. */
static double *add(struct work *work, int *count, double side, double shape) {
    work->sides[*count] = side, work->speeds[*count] = shape;
    return work->angles + (size_t)(*count)++ * (size_t)work->n;
}

/* Adds the posture with its root at eight angles, its mirror image likewise, and configurations spread
   over the ranges. */
static void add_around(struct work *work, const struct limber_seeds *seeds, const double *posture, double side,
                       int *count) {
    const struct joint *joint = work->model->joint;
    size_t n = (size_t)work->n;
    double span = joint[0].upper - joint[0].lower;
    for (int mirrored = 0; mirrored < 2; mirrored++)
        for (int i = 0; i < ROOT_TURNS; i++) {
            double *start = add(work, count, side, 1.0);
            for (size_t k = 0; k < n; k++)
                start[k] = mirrored ? clamped(posture[k] * seeds->mirror[k], joint[k].lower, joint[k].upper) : posture[k];
            start[0] = i ? joint[0].lower + span * (i + 0.5) / ROOT_TURNS : posture[0];
        }
    for (int i = 0; i < seeds->spreads; i++)
        memcpy(add(work, count, side, 1.0), seeds->spread + (size_t)i * n, sizeof(double) * n);
}

int32_t check_seeds(const struct limber_seeds *seeds, int joints) {
    size_t n = (size_t)joints;
    if (!seeds || seeds->spreads < 0 || seeds->spreads > MOST_SPREADS || !seeds->mirror ||
        (seeds->spreads && !seeds->spread))
        return LIMBER_SIZE;
    int is_finite = is_within(seeds->spread, n * (size_t)seeds->spreads, FARTHEST) && is_within(seeds->mirror, n, 1.0);
    return is_finite ? LIMBER_OK : LIMBER_NOT_FINITE;
}

int write_starts_from_scratch(struct work *work, const struct limber_seeds *seeds, const double *posture) {
    int count = 0, is_symmetric = work->goal.sided >= 0;
    add_around(work, seeds, posture, is_symmetric ? 1.0 : 0.0, &count);
    if (is_symmetric) add_around(work, seeds, posture, -1.0, &count);
    return count;
}

int write_starts(struct work *work, const struct limber_plan *plan, const double *posture, struct twins *twins) {
    const struct joint *joint = work->model->joint;
    size_t n = (size_t)work->n, row = sizeof(double) * n;
    int count = 0, is_symmetric = work->goal.sided >= 0;
    for (int i = 0; i < plan->pooled; i++) memcpy(add(work, &count, 0.0, 1.0), plan->pool + (size_t)i * n, row);
    twins->first = count;
    add_around(work, plan->seeds, posture, is_symmetric ? 1.0 : 0.0, &count);
    twins->count = is_symmetric ? count - twins->first : 0;
    if (is_symmetric) add_around(work, plan->seeds, posture, -1.0, &count);
    for (int i = 0; i < 4; i++)
        for (size_t k = 0; k < n; k++) {
            double *start = add(work, &count, 0.0, 0.0);
            memcpy(start, plan->angles, row);
            start[k] = joint[k].lower + NEAR_SHARES[i] * (joint[k].upper - joint[k].lower);
        }
    return count;
}
