/* Gauss-Newton steps that close a mechanism's loops and reduce its task errors. Source: solvers/mechanism/descent.py;
 * for damping solvers/least_squares/damping.py (Nielsen 1999). */
#include "descent_of_loops.h"

#include <string.h>

#include "dense.h"
#include "turns.h"

struct configuration *acquire(struct descent *descent) {
    struct configuration *slot = descent->slots;
    while (slot->users && slot + 1 < descent->slots + SLOTS) slot++;
    slot->users = 1;
    return slot;
}

void release(struct configuration *configuration) { configuration->users--; }

void evaluate_at(struct descent *descent, struct configuration *here) {
    const struct mechanism *mechanism = descent->mechanism;
    descent->evaluations++;
    here->serial = ++descent->serial;
    tree_forward(mechanism, here->values, here->balls, here->frames);
    loop_gaps(mechanism, here->frames, descent->driven, here->gap);
    here->open = 0.0;
    for (int k = 0; !descent->closes_only && k < mechanism->rows; k++) here->open = larger(here->open, fabs(here->gap[k]));
    task_errors(descent, here, NULL, here->error, NULL);
    here->square = dot_of(here->error, here->error, descent->rows);
}

const struct linear *linearised(struct descent *descent, const struct configuration *here, int with_tasks) {
    struct linear *linear = with_tasks || descent->full.serial == here->serial ? &descent->full : &descent->loops;
    if (linear->serial == here->serial) return linear;
    linear->serial = here->serial;
    tree_screws(descent->mechanism, here->frames, linear->screws);
    if (with_tasks) task_errors(descent, here, linear->screws, descent->wanted, linear->slopes);
    loop_blocks(descent->mechanism, here->frames, descent->driven, linear->screws, linear->blocks);
    return linear;
}

static double longest_of(const double *step, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++) most = larger(most, fabs(step[i]));
    return most;
}

struct configuration *stepped(struct descent *descent, const struct configuration *here, const double *step) {
    int v = descent->mechanism->coordinates;
    struct configuration *there = acquire(descent);
    double longest = longest_of(step, v), share = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1.0;
    for (int i = 0; i < v; i++) descent->slope[i] = share * step[i];
    tree_moved(descent->mechanism, here, descent->slope, there->values, there->balls);
    for (int i = 0; descent->is_bounded && i < v; i++)
        there->values[i] = clamped(there->values[i], descent->lower[i], descent->upper[i]);
    evaluate_at(descent, there);
    return there;
}

void difference(const struct descent *descent, const struct configuration *start, const struct configuration *end,
                double *step) {
    const struct mechanism *mechanism = descent->mechanism;
    for (int i = 0; i < mechanism->joints; i++) {
        const struct tree_joint *joint = &mechanism->joint[i];
        int first = joint->first;
        if (joint->ball >= 0) {
            double turn[9], back[9];
            for (int k = 0; k < 9; k++) back[k] = start->balls[9 * joint->ball + 3 * (k % 3) + k / 3];
            multiply(back, end->balls + 9 * joint->ball, turn);
            logarithm(turn, step + first);
        } else {
            step[first] = (end->values[first] - start->values[first]) / mechanism->unit[first];
        }
    }
}

struct configuration *closed(struct descent *descent, struct configuration *here, double enough) {
    while (here->open > enough) {
        find_step(descent, here, 1, descent->closing);
        struct configuration *there = stepped(descent, here, descent->closing);
        /* near a closed pose Newton's method doubles the digits; otherwise it is stuck */
        int is_stuck = there->open >= 0.5 * here->open, is_worse = there->open >= here->open;
        release(is_worse ? there : here);
        here = is_worse ? here : there;
        if (is_stuck) break;
    }
    return here;
}

/* The configuration after a step with its loops nearly closed; NULL if it is not better. */
static struct configuration *closed_after(struct descent *descent, const struct configuration *here, const double *step) {
    struct configuration *there = stepped(descent, here, step);
    if (there->open > CLOSE_ENOUGH) there = closed(descent, there, CLOSE_ENOUGH);
    int is_better;
    if (here->open > CLOSE_ENOUGH) { /* task errors are compared for closed loops only */
        is_better = there->open < here->open;
    } else {
        double gain = here->square - there->square;
        /* largest increase of the task errors by closing the loops */
        double cost = here->open * (here->open + sqrt(here->square));
        int closes_loops = here->open > larger(EXACT, 2.0 * there->open) && gain > -cost;
        is_better = there->open <= CLOSE_ENOUGH && (gain > 0.0 || closes_loops);
    }
    if (is_better) return there;
    release(there);
    return NULL;
}

/* Adapts the damping after a step that reduced the squared error by `gain`, where the linear model
   predicted `promised`. */
static void adapt_damping(struct descent *descent, double gain, double promised) {
    descent->growth = 2.0;
    if (!(promised > 0.0)) return;
    double rest = 2.0 * clamped(gain / promised, 0.0, 1.0) - 1.0;
    double factor = larger(1.0 / 3.0, 1.0 - rest * rest * rest);
    descent->share = clamped(descent->share * factor, LEAST_SHARE, MOST_SHARE);
}

/* Raises the damping after a step that did not help; returns 0 if it is at its largest already. */
static int raise_damping(struct descent *descent) {
    if (descent->share > MOST_SHARE) {
        descent->share = MOST_SHARE, descent->growth = 2.0;
        return 0;
    }
    descent->share *= descent->growth, descent->growth *= 2.0;
    return 1;
}

/* Writes to `curved` a step along the tangent plus the last frame's correction for the path's curvature; returns 0 if
 * the motion has changed too much. */
static int curve(struct descent *descent, const double *step) {
    int v = descent->mechanism->coordinates;
    const double *first = descent->last_first;
    double square = dot_of(first, first, v), share = square > EXACT ? dot_of(step, first, v) / square : 0.0;
    double apart = 0.0;
    if (!(share > 0.0)) return 0;
    for (int i = 0; i < v; i++) apart = larger(apart, fabs(step[i] - share * first[i]));
    if (apart > ALIKE * longest_of(step, v)) return 0;
    for (int i = 0; i < v; i++) descent->curved[i] = step[i] + share * share * descent->last_rest[i];
    return 1;
}

/* Tries a step: returns the better configuration after it, or NULL. `is_over` tells whether no other step is to be tried,
 * and `is_settled` whether the solve has converged. */
static struct configuration *try_step(struct descent *descent, const struct configuration *here, const double *step,
                                      int *is_settled, int *is_over) {
    int v = descent->mechanism->coordinates;
    struct configuration *there = closed_after(descent, here, step);
    double longest = longest_of(step, v);
    *is_over = 1;
    if (there) {
        double gain = here->square - there->square, left = 0.0;
        const struct linear *linear = linearised(descent, here, 1);
        for (int k = 0; k < descent->rows; k++) {
            double error = here->error[k] + dot_of(line_of(linear->slopes, k, v), step, v);
            left += error * error;
        }
        adapt_damping(descent, gain, here->square - left);
        int is_small = here->open <= CLOSE_ENOUGH && gain <= LEAST_GAIN * here->square;
        *is_settled = there->open <= EXACT && (is_small || longest < EXACT);
        return there;
    }
    *is_settled = longest < EXACT;
    *is_over = *is_settled || descent->evaluations >= descent->most;
    return NULL;
}

/* A better configuration, or NULL, and whether the solve has converged: along the last frame's curve, then by the step
 * itself, then by steps with increasing damping. */
static struct configuration *improve(struct descent *descent, const struct configuration *here, int *is_settled) {
    struct configuration *there = NULL;
    double *step = descent->step;
    int is_over = 0;
    find_step(descent, here, 0, step);
    if (!descent->has_first) {
        descent->has_first = 1;
        memcpy(descent->first, step, (size_t)descent->mechanism->coordinates * sizeof *step);
        if (descent->has_last && curve(descent, step)) there = try_step(descent, here, descent->curved, is_settled, &is_over);
    }
    if (!is_over) there = try_step(descent, here, step, is_settled, &is_over);
    while (!is_over && raise_damping(descent)) {
        find_step(descent, here, 0, step);
        there = try_step(descent, here, step, is_settled, &is_over);
    }
    if (!is_over) *is_settled = 1;
    return there;
}

int task_directions(struct descent *descent) {
    int e = descent->rows, v = descent->mechanism->coordinates, count = e < v ? e : v;
    double *directions = descent->projected, *sizes = descent->sizes;
    if (e <= v) {
        singular_rows(e, v, directions, NULL, sizes);
        for (int k = 0; k < e; k++)
            for (int i = 0; i < v; i++) row_of(directions, k, v)[i] /= larger(sizes[k], TINY);
        return count;
    }
    double *turned = descent->full.slopes; /* used as scratch: the slopes must be computed again afterwards */
    descent->full.serial = 0;
    for (int k = 0; k < e; k++)
        for (int i = 0; i < v; i++) row_of(turned, i, e)[k] = line_of(directions, k, v)[i];
    singular_rows(v, e, turned, directions, sizes);
    return count;
}

/* A better configuration along the direction of least slope, or NULL. A stretched arm needs this when its
 * target returns within reach. */
static struct configuration *beyond_saddle(struct descent *descent, const struct configuration *here) {
    int e = descent->rows, v = descent->mechanism->coordinates;
    double *slope = descent->direction, most = 0.0;
    if (!e || !v) return NULL;
    project_tasks(descent, here);
    memset(slope, 0, (size_t)v * sizeof *slope);
    for (int k = 0; k < e; k++) add_multiple(here->error[k], line_of(descent->projected, k, v), slope, v);
    int count = task_directions(descent);
    for (int k = 0; k < count; k++) most = larger(most, descent->sizes[k]);
    for (int k = 0; k < count; k++) {
        const double *row = line_of(descent->projected, k, v);
        if (descent->sizes[k] > NEAR_SINGULAR * most) add_multiple(-dot_of(row, slope, v), row, slope, v);
    }
    double steepest = longest_of(slope, v);
    if (!(steepest > 0.0)) return NULL;
    for (int i = 0; i < v; i++) descent->step[i] = slope[i] * (-PROBE / steepest);
    struct configuration *there = closed_after(descent, here, descent->step);
    if (!there || here->square - there->square > LEAST_GAIN * here->square) return there;
    release(there);
    return NULL;
}

struct configuration *descend_loops(struct descent *descent, struct configuration *here, int iterations, int *is_settled,
                                    int *count) {
    int is_probed = 0;
    *is_settled = *count = 0;
    while (!*is_settled && *count < iterations && descent->evaluations < descent->most) {
        if (here->open <= EXACT && here->square <= SAME_ANGLE * SAME_ANGLE) {
            *is_settled = 1;
            break;
        }
        ++*count;
        struct configuration *there = improve(descent, here, is_settled);
        if (there) {
            release(here);
            here = there;
        }
        if (*is_settled && !is_probed && here->square > SAME_ANGLE * SAME_ANGLE) {
            struct configuration *beyond = beyond_saddle(descent, here);
            is_probed = 1;
            if (!beyond) continue;
            release(here);
            here = beyond, *is_settled = 0;
        } else if (!there) {
            break;
        }
    }
    return closed(descent, here, EXACT);
}
