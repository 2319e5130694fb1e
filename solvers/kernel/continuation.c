/* Continues a path through a fold, where two solutions meet. Source: solvers/mechanism/continuation.py. */
#include <string.h>

#include "dense.h"
#include "descent_of_loops.h"
#include "vectors.h"

static double largest_difference(const double *a, const double *b, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++) most = larger(most, fabs(a[i] - b[i]));
    return most;
}

/* Whether a coordinate of a step differs from that of the last frame's motion by more than the larger of
 * `CLOSE_ENOUGH` and `ALIKE` of the largest magnitude in that motion. */
static int deviates(const double *taken, const double *last, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++) most = larger(most, fabs(last[i]));
    return largest_difference(taken, last, count) > larger(ALIKE * most, CLOSE_ENOUGH);
}

/* The part of a step (v,) that the tasks determine; near a fold one direction has a singular value of
 * almost 0. */
static void determined(struct descent *descent, const struct configuration *here, const double *step, double *part) {
    int v = descent->mechanism->coordinates;
    double most = 0.0;
    project_tasks(descent, here);
    int count = task_directions(descent);
    for (int k = 0; k < count; k++) most = larger(most, descent->sizes[k]);
    memset(part, 0, (size_t)v * sizeof *part);
    for (int k = 0; k < count; k++) {
        const double *row = line_of(descent->projected, k, v);
        if (descent->sizes[k] > EXACT * most) add_multiple(dot_of(row, step, v), row, part, v);
    }
}

struct configuration *continued(struct descent *descent, const struct configuration *start,
                                const struct configuration *here, const double *last, int iterations) {
    int v = descent->mechanism->coordinates, is_settled, count;
    double *taken = descent->taken, *onward = descent->onward, *change = descent->direction;
    size_t held = (size_t)v * sizeof *descent->held;
    difference(descent, start, here, taken);
    if (!deviates(taken, last, v)) return NULL;
    determined(descent, start, last, onward);
    if (!deviates(taken, onward, v)) return NULL;
    struct configuration *there = closed(descent, stepped(descent, start, onward), EXACT);
    if (there->open > EXACT) {
        release(there);
        return NULL;
    }
    double share = descent->share;
    memcpy(descent->held_before, descent->held, held);
    there = descend_loops(descent, there, iterations, &is_settled, &count);
    difference(descent, start, there, change);
    int is_met = there->open <= EXACT && there->square <= larger(here->square, SAME_ANGLE * SAME_ANGLE);
    if (is_met && largest_difference(change, onward, v) < ALIKE * largest_difference(taken, onward, v)) return there;
    release(there);
    descent->share = share, descent->growth = 2.0;
    memcpy(descent->held, descent->held_before, held);
    return NULL;
}
