/* One solve of a mechanism. Source: solvers/mechanism/solver.py and objectives.py. */
#include <string.h>

#include "dense.h"
#include "descent_of_loops.h"
#include "tolerances.h"
#include "turns.h"

#define MOST_GOALS 4096
#define MOST_STEPS 1000000

/* Regularisers of a body: three rows each that keep its position and its rotation, and one of its speed. */
enum { REGULARISERS = 3, ROWS_OF_REGULARISERS = 7 };

/* Takes the arrays from `memory`; returns their size [bytes], also if `memory` is NULL. */
static size_t laid_out(struct descent *descent, char *memory, const struct mechanism *m, int goals, int is_regularised) {
    struct pieces pieces = {memory, 0};
    size_t real = sizeof(double), v = (size_t)m->coordinates, r = (size_t)m->rows, n = (size_t)m->joints;
    size_t bodies = is_regularised ? (size_t)m->moving : 0, e = 3 * (size_t)goals + ROWS_OF_REGULARISERS * bodies;
    if (e < r) e = r; /* if the gaps are the tasks */
    size_t least = e < v ? e : v, columns = (size_t)m->most_columns, wide = e ? e : 1;
    descent->task = take(&pieces, (size_t)goals + REGULARISERS * bodies, sizeof *descent->task);
    for (int i = 0; i < SLOTS; i++) {
        struct configuration *slot = &descent->slots[i];
        slot->values = take(&pieces, v, real);
        slot->balls = take(&pieces, 9 * (size_t)m->balls, real);
        slot->frames = take(&pieces, 12 * n, real);
        slot->gap = take(&pieces, r, real);
        slot->error = take(&pieces, e, real);
    }
    struct linear *linears[] = {&descent->full, &descent->loops};
    for (int i = 0; i < 2; i++) {
        linears[i]->screws = take(&pieces, 6 * v, real);
        linears[i]->blocks = take(&pieces, m->block_count, real);
    }
    descent->full.slopes = take(&pieces, e * v, real);
    descent->loops.slopes = NULL;
    double **of_coordinates[] = {&descent->lower, &descent->upper, &descent->last_first, &descent->last_rest, &descent->first,
                                 &descent->step, &descent->tried, &descent->closing, &descent->moves,
                                 &descent->first_moves, &descent->direction, &descent->curved, &descent->slope,
                                 &descent->least, &descent->largest, &descent->taken, &descent->onward};
    for (size_t i = 0; i < sizeof of_coordinates / sizeof *of_coordinates; i++) *of_coordinates[i] = take(&pieces, v, real);
    descent->masked = take(&pieces, m->block_count, real);
    descent->factors = take(&pieces, m->factor_count, real);
    descent->columns = take(&pieces, wide * columns, real);
    descent->pulled = take(&pieces, wide * (size_t)m->most_rows, real);
    descent->projected = take(&pieces, e * v, real);
    descent->square = take(&pieces, least * least, real);
    descent->wanted = take(&pieces, e, real);
    descent->sizes = take(&pieces, e, real);
    descent->shifted = take(&pieces, r, real);
    descent->shares = take(&pieces, 4 * n, real);
    descent->mode = take(&pieces, m->mode_count + (size_t)m->clusters, real);
    descent->scratch = take(&pieces, mode_scratch(m), real);
    descent->held = take(&pieces, v, sizeof *descent->held);
    descent->held_before = take(&pieces, v, sizeof *descent->held_before);
    descent->is_held = take(&pieces, v, sizeof *descent->is_held);
    return pieces.bytes;
}

size_t limber_mechanism_workspace_bytes(const void *model, int32_t goals, int32_t is_regularised) {
    struct descent descent;
    const struct mechanism *mechanism = mechanism_in(model);
    return !mechanism || goals < 0 || goals > MOST_GOALS ? 0 : laid_out(&descent, NULL, mechanism, goals, is_regularised);
}

/* Reads a goal; returns 0 if it refers to something that does not exist. */
static int read_task(const struct mechanism *mechanism, const struct limber_mechanism_goal *goal, struct task *task) {
    double end = goal->task == LIMBER_TASK_VALUE  ? mechanism->coordinates
                 : goal->task == LIMBER_TASK_BALL ? mechanism->balls
                                                  : mechanism->joints;
    int is_of_end = goal->task != LIMBER_TASK_VALUE && goal->task != LIMBER_TASK_BALL;
    if (!(goal->task >= LIMBER_TASK_POSITION && goal->task <= LIMBER_TASK_BALL && goal->index >= -is_of_end &&
          goal->index < end))
        return 0;
    task->task = (int)goal->task, task->index = (int)goal->index;
    task->end.joint = task->index;
    memcpy(task->end.frame, goal->frame, sizeof goal->frame);
    copy3(goal->roots, task->roots);
    memcpy(task->target, goal->target, sizeof goal->target);
    task->rows = rows_of_task(task);
    return 1;
}

/* Adds a task for a body; `root`: square root of its weight. */
static struct task *add_regulariser(struct descent *descent, int kind, const struct carried *body, double root) {
    struct task *task = &descent->task[descent->tasks++];
    task->task = kind, task->end = *body;
    for (int k = 0; k < 3; k++) task->roots[k] = k && kind == LIMBER_TASK_SPEED ? 0.0 : root;
    task->rows = rows_of_task(task);
    descent->rows += task->rows;
    return task;
}

/* Regularisers that keep bodies near their poses at `frames` (n, 12) of the last frame. */
static void add_regularisers(struct descent *descent, const struct limber_mechanism_solve *solve, const double *frames) {
    const struct mechanism *mechanism = descent->mechanism;
    double keep = sqrt(solve->keep_weight), speed = sqrt(2.0 * solve->speed_weight);
    double threshold = 2.0 - 2.0 * cos(smaller(solve->speed * solve->dt, PI));
    descent->speed_threshold = larger(threshold, TINY);
    for (int i = 0; i < mechanism->bodies; i++) {
        const struct carried *body = &mechanism->body[i];
        double frame[12], back[9];
        if (body->joint < 0) continue;
        place(body, frames, frame);
        for (int k = 0; k < 9; k++) back[k] = frame[3 * (k % 3) + k / 3];
        if (keep > 0.0) {
            copy3(frame + 9, add_regulariser(descent, LIMBER_TASK_POSITION, body, keep / mechanism->size)->target);
            memcpy(add_regulariser(descent, LIMBER_TASK_ORIENTATION, body, keep)->target, back, sizeof back);
        }
        if (speed > 0.0 && solve->dt > 0.0)
            memcpy(add_regulariser(descent, LIMBER_TASK_SPEED, body, speed)->target, back, sizeof back);
    }
}

/* A value moved within limits by the fewest full rotations, where possible (`objectives.by_full_rotations`). */
static double by_full_rotations(double value, double lower, double upper, int is_prismatic) {
    double rotations = value < lower ? ceil((lower - value) / TAU) : value > upper ? -ceil((value - upper) / TAU) : 0.0;
    double rotated = value + (is_prismatic ? 0.0 : TAU * rotations);
    return rotated >= lower && rotated <= upper ? rotated : value;
}

/* Whether a coordinate is that of a prismatic joint. */
static int is_prismatic(const struct mechanism *mechanism, int coordinate) {
    for (int i = mechanism->joints - 1; i >= 0; i--)
        if (mechanism->joint[i].first <= coordinate) return mechanism->joint[i].kind == LIMBER_PRISMATIC;
    return 0;
}

/* Writes the bounds of the frame, from limits of position and speed, and moves the starting values into them. */
static void bound(struct descent *descent, const struct limber_mechanism_solve *solve, double *values) {
    const struct mechanism *mechanism = descent->mechanism;
    int v = mechanism->coordinates, is_within_bounds = 1;
    for (int i = 0; i < v; i++) {
        double lower = mechanism->lower[i], upper = mechanism->upper[i];
        /* if the limits contradict each other, that of speed takes precedence */
        if (solve->dt > 0.0 && mechanism->has_speeds) {
            double start = clamped(solve->values[i], lower, upper), reach = mechanism->velocity[i] * solve->dt;
            lower = clamped(lower, start - reach, start + reach), upper = clamped(upper, start - reach, start + reach);
        }
        descent->lower[i] = lower, descent->upper[i] = upper;
        descent->is_bounded |= isfinite(lower) || isfinite(upper);
        values[i] = solve->values[i];
        is_within_bounds &= values[i] >= lower && values[i] <= upper;
    }
    for (int i = 0; !is_within_bounds && i < v; i++) {
        double lower = descent->lower[i], upper = descent->upper[i];
        values[i] = clamped(by_full_rotations(values[i], lower, upper, is_prismatic(mechanism, i)), lower, upper);
    }
}

/* Replaces commanded values by the equivalent ones within limits that are nearest to the start. */
static void choose_rotations(struct descent *descent, const double *values) {
    const struct mechanism *mechanism = descent->mechanism;
    for (int i = 0; i < descent->tasks; i++) {
        struct task *task = &descent->task[i];
        int q = task->index;
        if (task->task != LIMBER_TASK_VALUE || is_prismatic(mechanism, q)) continue;
        double value = task->target[0] - TAU * nearbyint((task->target[0] - values[q]) / TAU);
        task->target[0] = by_full_rotations(value, mechanism->lower[q], mechanism->upper[q], 0);
    }
}

/* Number of waypoints that keep the assembly while actuators move far, the commanded values not counted. */
static int waypoints(const struct descent *descent, const double *values) {
    double farthest = 0.0, most = nearbyint(TAU / LONGEST_STEP);
    for (int i = 0; i < descent->tasks; i++) {
        const struct task *task = &descent->task[i];
        if (task->task == LIMBER_TASK_VALUE)
            farthest = larger(farthest, fabs(task->target[0] - values[task->index]) / descent->mechanism->unit[task->index]);
    }
    return (int)smaller(farthest / LONGEST_STEP, most);
}

/* A new configuration with the coordinates of another, evaluated. */
static struct configuration *copied(struct descent *descent, const struct configuration *from) {
    struct configuration *copy = acquire(descent);
    memcpy(copy->values, from->values, (size_t)descent->mechanism->coordinates * sizeof(double));
    memcpy(copy->balls, from->balls, 9 * (size_t)descent->mechanism->balls * sizeof(double));
    evaluate_at(descent, copy);
    return copy;
}

/* Follows the assembly mode to a configuration; returns whether it has changed. */
static int follow(struct descent *descent, const struct configuration *here, int *has_mode) {
    const struct mechanism *mechanism = descent->mechanism;
    if (here->open > CLOSE_ENOUGH || descent->closes_only) return 0;
    const double *blocks = linearised(descent, here, 0)->blocks;
    if (*has_mode) return follow_mode(mechanism, blocks, here->values, descent->mode, descent->scratch);
    begin_mode(mechanism, blocks, here->values, descent->mode, descent->scratch);
    *has_mode = 1;
    return 0;
}

/* If the actuators' commands are far away, goes there by waypoints. Takes ownership of `here`. */
static struct configuration *go_by_waypoints(struct descent *descent, struct configuration *here, int iterations,
                                             int *has_mode, int *is_flipped) {
    int count = waypoints(descent, here->values), is_settled, steps;
    double *first = descent->onward, *last = descent->taken; /* (v,) values of the commanded coordinates */
    for (int i = 0; count && i < descent->tasks; i++) {
        const struct task *task = &descent->task[i];
        if (task->task == LIMBER_TASK_VALUE)
            first[task->index] = here->values[task->index], last[task->index] = task->target[0];
    }
    for (int k = 1; k <= count; k++) {
        for (int end = 0; end < 2; end++) {
            for (int i = 0; i < descent->tasks; i++) {
                struct task *task = &descent->task[i];
                int q = task->index;
                if (task->task != LIMBER_TASK_VALUE) continue;
                task->target[0] = end ? last[q] : first[q] + (last[q] - first[q]) * k / (count + 1);
            }
            struct configuration *there = copied(descent, here);
            release(here);
            here = end ? there : descend_loops(descent, there, iterations, &is_settled, &steps);
        }
        *is_flipped |= follow(descent, here, has_mode);
    }
    return here;
}

/* Scales the motion of the last frame to this frame's duration. */
static void scale_motion(struct descent *descent, const struct limber_mechanism_solve *solve) {
    int v = descent->mechanism->coordinates;
    descent->has_first = 0;
    descent->has_last = solve->dt > 0.0 && solve->motion_dt > 0.0;
    for (int i = 0; descent->has_last && i < v; i++) {
        double share = solve->dt / solve->motion_dt;
        descent->last_first[i] = share * solve->motion[i];
        descent->last_rest[i] = share * share * solve->motion[v + i];
    }
}

/* Writes the motion of this frame, after a continuation through a fold, if there is one. */
static struct configuration *move_on(struct descent *descent, struct limber_mechanism_solve *solve,
                                     const struct configuration *start, struct configuration *here) {
    int v = descent->mechanism->coordinates;
    double *along = descent->curved, *moved = descent->taken;
    solve->has_motion_after = solve->dt > 0.0 && here->open <= CLOSE_ENOUGH;
    if (!solve->has_motion_after) return here;
    if (descent->has_last && solve->continues && descent->goal_rows == descent->rows) {
        for (int i = 0; i < v; i++) along[i] = descent->last_first[i] + descent->last_rest[i];
        struct configuration *other = continued(descent, start, here, along, solve->iterations);
        if (other) {
            release(here);
            here = other, solve->is_settled = 1;
        }
    }
    difference(descent, start, here, moved);
    for (int i = 0; i < v; i++) {
        double first = descent->has_first ? descent->first[i] : moved[i];
        solve->motion_after[i] = first, solve->motion_after[v + i] = moved[i] - first;
    }
    return here;
}

/* Writes the bodies' poses (b, 4, 4). */
static void write_poses(const struct mechanism *mechanism, const struct configuration *here, double *poses) {
    for (int i = 0; i < mechanism->bodies; i++, poses += 16) {
        double frame[12];
        place(&mechanism->body[i], here->frames, frame);
        for (int k = 0; k < 3; k++) {
            copy3(frame + 3 * k, poses + 4 * k);
            poses[4 * k + 3] = frame[9 + k];
        }
        poses[12] = poses[13] = poses[14] = 0.0, poses[15] = 1.0;
    }
}

/* Writes the result from the last configuration. */
static void write_result(struct descent *descent, struct limber_mechanism_solve *solve, const struct configuration *here) {
    const struct mechanism *mechanism = descent->mechanism;
    size_t v = (size_t)mechanism->coordinates, real = sizeof(double);
    solve->residual = 0.0, solve->worst = -1;
    for (int i = 0; i < mechanism->closures; i++) {
        double size = closure_size(mechanism, i, here->frames, descent->driven);
        if (solve->worst < 0 || size > solve->residual) solve->residual = size, solve->worst = i;
    }
    solve->goal_error = sqrt(dot_of(here->error, here->error, descent->goal_rows));
    solve->damping_after = descent->share;
    memcpy(solve->values_after, here->values, v * real);
    memcpy(solve->balls_after, here->balls, 9 * (size_t)mechanism->balls * real);
    for (int i = 0; !descent->closes_only && i < mechanism->balls; i++) make_orthonormal(solve->balls_after + 9 * i);
    write_poses(mechanism, here, solve->poses);
    memcpy(solve->least, descent->lower, v * real);
    memcpy(solve->most, descent->upper, v * real);
    memcpy(solve->held, descent->held, v * sizeof *solve->held);
    solve->any_held = 0;
    for (size_t i = 0; i < v; i++) solve->any_held |= descent->held[i];
    if (solve->has_mode_after) memcpy(solve->mode_after, descent->mode, mechanism->mode_count * real);
}

/* LIMBER_OK, or the code of the first error in the input. */
static int32_t checked(const struct limber_mechanism_solve *solve, const struct mechanism *mechanism) {
    size_t v = (size_t)mechanism->coordinates;
    double settings[] = {solve->dt, solve->motion_dt, solve->damping, solve->keep_weight, solve->speed_weight, solve->speed};
    if (!is_within(solve->values, v, LARGEST) || !is_within(solve->balls, 9 * (size_t)mechanism->balls, 2.0) ||
        !is_within(settings, 6, LARGEST) || (solve->has_weight_axes && !is_within(solve->weight_axes, 9, 2.0)) ||
        (solve->has_mode && !is_within(solve->mode, mechanism->mode_count, LARGEST)) ||
        (solve->motion_dt > 0.0 && !is_within(solve->motion, 2 * v, LARGEST)) ||
        !is_within(solve->driven, 13 * (size_t)mechanism->driven, LARGEST) ||
        !is_within((const double *)solve->goals, sizeof *solve->goals / sizeof(double) * (size_t)solve->goal_count, LARGEST))
        return LIMBER_NOT_FINITE;
    for (int i = 0; i < 6; i++)
        if (settings[i] < 0.0) return LIMBER_SIZE;
    if (solve->dt > 0.0 && !(solve->dt >= SHORTEST_FRAME && solve->dt <= LONGEST_FRAME)) return LIMBER_SIZE;
    if (solve->motion_dt > 0.0 && !(solve->motion_dt >= SHORTEST_FRAME && solve->motion_dt <= LONGEST_FRAME))
        return LIMBER_SIZE;
    return solve->iterations < 0 || solve->iterations > MOST_STEPS ? LIMBER_SIZE : LIMBER_OK;
}

/* Reads the goals as tasks, and counts their rows; an error code if one refers to something that does not exist. */
static int32_t read_goals(struct descent *descent, const struct limber_mechanism_solve *solve) {
    for (int i = 0; i < solve->goal_count; i++) {
        struct task *task = &descent->task[descent->tasks++];
        if (!read_task(descent->mechanism, &solve->goals[i], task)) return LIMBER_GOAL;
        descent->rows += task->rows;
    }
    descent->goal_rows = descent->rows;
    if (solve->closes_only) descent->rows = descent->goal_rows = descent->mechanism->rows;
    return LIMBER_OK;
}

/* Whether all of a result is finite. */
static int is_finite_result(const struct limber_mechanism_solve *solve, const struct mechanism *mechanism) {
    return is_within(solve->values_after, (size_t)mechanism->coordinates, LARGEST) &&
           is_within(solve->balls_after, 9 * (size_t)mechanism->balls, LARGEST) &&
           is_within(solve->poses, 16 * (size_t)mechanism->bodies, HUGE_VAL) && isfinite(solve->goal_error) &&
           isfinite(solve->residual) && isfinite(solve->damping_after) &&
           (!solve->has_motion_after || is_within(solve->motion_after, 2 * (size_t)mechanism->coordinates, LARGEST)) &&
           (!solve->has_mode_after || is_within(solve->mode_after, mechanism->mode_count, LARGEST));
}

int32_t limber_mechanism_solve(struct limber_mechanism_solve *solve) {
    struct descent descent;
    const struct mechanism *mechanism = solve ? mechanism_in(solve->model) : NULL;
    if (!mechanism) return LIMBER_MODEL;
    int is_regularised = solve->keep_weight > 0.0 || solve->speed_weight > 0.0, has_mode = solve->has_mode != 0;
    int is_flipped = 0;
    memset(&descent, 0, sizeof descent);
    if (solve->goal_count < 0 || solve->goal_count > MOST_GOALS) return LIMBER_SIZE;
    size_t bytes = laid_out(&descent, solve->workspace, mechanism, solve->goal_count, is_regularised);
    if (!solve->workspace || ((uintptr_t)solve->workspace & 15) || solve->workspace_bytes < bytes) return LIMBER_SIZE;
    int32_t error = checked(solve, mechanism);
    if (error) return error;
    descent.mechanism = mechanism, descent.driven = solve->driven;
    descent.weight_axes = solve->has_weight_axes ? solve->weight_axes : NULL;
    descent.closes_only = solve->closes_only != 0;
    descent.clusters = descent.closes_only ? 0 : mechanism->clusters;
    descent.share = clamped(solve->damping, LEAST_SHARE, MOST_SHARE), descent.growth = 2.0;
    descent.most = MOST_STEPS * 64L;
    memset(descent.held, 0, (size_t)mechanism->coordinates * sizeof *descent.held);
    if (has_mode) memcpy(descent.mode, solve->mode, mechanism->mode_count * sizeof *descent.mode);
    error = read_goals(&descent, solve);
    if (error) return error;

    struct configuration *here = acquire(&descent);
    if (is_regularised) {
        tree_forward(mechanism, solve->values, solve->balls, here->frames);
        add_regularisers(&descent, solve, here->frames);
    }
    bound(&descent, solve, here->values);
    memcpy(here->balls, solve->balls, 9 * (size_t)mechanism->balls * sizeof *here->balls);
    if (!solve->counts_full_rotations) choose_rotations(&descent, here->values);
    evaluate_at(&descent, here);
    if (!has_mode) follow(&descent, here, &has_mode);
    here = go_by_waypoints(&descent, here, solve->iterations, &has_mode, &is_flipped);
    struct configuration *start = here;
    start->users++;
    scale_motion(&descent, solve);
    if (solve->evaluations >= 0) descent.most = descent.evaluations + solve->evaluations;
    here = descend_loops(&descent, here, solve->iterations, &solve->is_settled, &solve->steps);
    if (start->open <= EXACT && start->square > 0.0 && start->square <= here->square) {
        /* steps are compared with nearly closed loops: closing them can undo their apparent gain */
        start->users++;
        release(here);
        here = start, solve->is_settled = 1;
    }
    here = move_on(&descent, solve, start, here);
    is_flipped |= follow(&descent, here, &has_mode);
    solve->is_flipped = is_flipped, solve->has_mode_after = has_mode;
    write_result(&descent, solve, here);
    return is_finite_result(solve, mechanism) ? LIMBER_OK : LIMBER_NOT_FINITE;
}
