/* Exact aim with the least rotation of bones away from the authored pose. Source: solvers/bones/solver.py. */
#include <string.h>

#include "aims.h"
#include "bones_problem.h"
#include "end_error.h"
#include "step.h"
#include "tolerances.h"
#include "tree.h"
#include "vectors.h"

/* constants of solvers/bones/problem.py and solver.py, explained there */
#define AIM_COST 1e8
#define LARGEST_TURN 1.0
#define LONGEST_STEP 1.2
#define NEARLY 0.1
#define MOST_STEPS 25
#define FIRST_DAMPING 0.3
#define LEAST_PRICE 2.0
#define POLISHING_STEPS 6
#define NEARLY_MET 1e-5
#define SMALL_STEP 1.5e-3
#define NO_STEP 1e-5

/* State of a solve, with its arrays in the workspace. */
struct solve {
    struct bones_problem problem;
    struct evaluated first, second; /* the current configuration, and the configuration being tried */
    struct configuration solved, trial;
    double *forces, *desired;                      /* (r,) forces that hold the aim; aim error that a step corrects */
    double *matrix, *whole, *vector, *least, *most, *step, *zeros, *scratch; /* arrays of one step */
};

static void lay_configuration(struct pieces *pieces, size_t n, size_t balls, struct configuration *at) {
    at->values = take(pieces, n, sizeof(double));
    at->balls = take(pieces, 9 * balls, sizeof(double));
}

static void lay_evaluated(struct pieces *pieces, size_t n, size_t balls, size_t rows, struct evaluated *state) {
    size_t real = sizeof(double);
    lay_configuration(pieces, n, balls, &state->at);
    state->aim.frames = take(pieces, 12 * n, real);
    state->aim.axes = take(pieces, 3 * n, real);
    state->aim.error = take(pieces, rows, real);
    state->aim.columns = take(pieces, n * rows, real);
    state->matrix = take(pieces, n * n, real);
    state->descent = take(pieces, n, real);
}

/* Takes the arrays from `memory`; returns their size [bytes], also if `memory` is NULL. */
static size_t laid_out(struct solve *solve, char *memory, const struct bones *bones, size_t aims) {
    struct pieces pieces = {memory, 0};
    size_t n = (size_t)bones->tree.joints, balls = (size_t)bones->balls, rows = ROWS_OF_AIM * aims, real = sizeof(double);
    struct bones_problem *problem = &solve->problem;
    problem->orientations = take(&pieces, 9 * (size_t)bones->count, real);
    problem->level = take(&pieces, aims, sizeof *problem->level);
    lay_configuration(&pieces, n, balls, &problem->authored);
    lay_configuration(&pieces, n, balls, &solve->solved);
    lay_configuration(&pieces, n, balls, &solve->trial);
    lay_evaluated(&pieces, n, balls, rows, &solve->first);
    lay_evaluated(&pieces, n, balls, rows, &solve->second);
    solve->forces = take(&pieces, rows, real);
    solve->desired = take(&pieces, rows, real);
    solve->matrix = take(&pieces, n * n, real);
    solve->whole = take(&pieces, n * n, real);
    double **vectors[] = {&solve->vector, &solve->least, &solve->most, &solve->step, &solve->zeros};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = take(&pieces, n, real);
    solve->scratch = take(&pieces, boxed_scratch((int)n), real);
    return pieces.bytes;
}

size_t limber_bones_workspace_bytes(const void *memory, int32_t aims) {
    const struct bones *bones = bones_in(memory);
    struct solve solve;
    return bones && aims >= 1 && aims <= MOST_AIMS ? laid_out(&solve, NULL, bones, (size_t)aims) : 0;
}

/* LIMBER_OK, or the code of the first error in what is known of the last frames. */
static int32_t check_last(const struct limber_bones_solve *task, const struct bones *bones) {
    size_t n = (size_t)bones->tree.joints, balls = 9 * (size_t)bones->balls;
    if (!task->has_last) return LIMBER_OK;
    if (!is_within(&task->jump, 1, LARGEST)) return LIMBER_NOT_FINITE;
    if (task->rows < 0 || task->rows > ROWS_OF_AIM * task->aims || (task->has_before && !task->before)) return LIMBER_SIZE;
    if (!is_within(task->deviation, n, LARGEST) || !is_within(task->deviation + n, balls, 2.0) ||
        !is_within(task->forces, (size_t)task->rows, LARGEST))
        return LIMBER_NOT_FINITE;
    if (task->has_before && (!is_within(task->before, n, LARGEST) || !is_within(task->before + n, balls, 2.0)))
        return LIMBER_NOT_FINITE;
    return LIMBER_OK;
}

/* Checks a task, and prepares a solve in its workspace. */
static int32_t begin_solve(const struct limber_bones_solve *task, struct solve *solve) {
    if (!task) return LIMBER_SIZE;
    const struct bones *bones = bones_in(task->bones);
    if (!bones) return LIMBER_MODEL;
    size_t bytes = limber_bones_workspace_bytes(bones, task->aims);
    if (!bytes || !task->workspace || ((uintptr_t)task->workspace & 15) || task->workspace_bytes < bytes || !task->aim ||
        !task->reference || !task->deviation || !task->forces || !task->angles || !task->errors)
        return LIMBER_SIZE;
    if (!is_within(task->reference, (size_t)bones->tree.joints, FARTHEST)) return LIMBER_NOT_FINITE;
    int32_t wrong = check_aims(&bones->tree, task->aim, task->aims);
    if (!wrong) wrong = check_last(task, bones);
    if (wrong) return wrong;
    laid_out(solve, task->workspace, bones, (size_t)task->aims);
    solve->problem.bones = bones;
    solve->problem.goal = (struct goal){.aims = task->aims, .aim = task->aim, .sided = -1};
    memset(solve->zeros, 0, sizeof *solve->zeros * (size_t)bones->tree.joints);
    author_bones(&solve->problem, task->reference, solve->first.aim.frames, solve->first.aim.axes);
    return LIMBER_OK;
}

/* Writes the start of the steps and the forces to begin with: the authored pose with the deviation
 * extrapolated from the last frames, or with the last frame's deviation, whichever first has an aim error
 * below `jump`, and as many rows as the last frame; else the authored pose. Returns whether the last frames
 * are used. */
static int begun(struct solve *solve, const struct limber_bones_solve *task, struct evaluated *state) {
    const struct bones *bones = solve->problem.bones;
    for (int is_ahead = task->has_before; task->has_last && is_ahead >= 0; is_ahead--) {
        extrapolated(bones, &solve->problem.authored, task->deviation, is_ahead ? task->before : NULL, &state->at);
        evaluate_bones(&solve->problem, state);
        if (state->aim.size < task->jump && state->aim.rows == task->rows) {
            memcpy(solve->forces, task->forces, sizeof *solve->forces * (size_t)task->rows);
            return 1;
        }
    }
    copy_configuration(bones, &solve->problem.authored, &state->at);
    evaluate_bones(&solve->problem, state);
    for (int i = 0; i < state->aim.rows; i++) solve->forces[i] = 0.0;
    return 0;
}

/* Secondary cost, plus the aim error times its price. */
static double cost_of(const struct evaluated *state, double price) {
    return state->secondary + price * state->aim.size;
}

/* Secondary cost after a step (n,), by its quadratic model. */
static double cost_after(int n, const struct evaluated *state, const double *step) {
    double change = 0.0;
    for (int i = 0; i < n; i++) {
        const double *row = state->matrix + (size_t)i * (size_t)n;
        double slope = 0.5 * row[i] * step[i];
        for (int j = 0; j < i; j++) slope += row[j] * step[j];
        change += step[i] * (slope - state->descent[i]);
    }
    return state->secondary + change;
}

/* The largest movement of a coordinate in the step [rad, or fractions of the reach]. */
static double step_length(const struct solve *solve) {
    const struct model *tree = &solve->problem.bones->tree;
    double longest = 0.0;
    for (int i = 0; i < tree->joints; i++) longest = larger(longest, fabs(solve->step[i] / tree->joint[i].scale));
    return longest;
}

/* Writes the step (n,) from joint values (n,) that minimises a quadratic cost and corrects the aim error
 * `desired` (r,), within limits. */
static void solve_step(struct solve *solve, const double *matrix, const double *descent, const double *values,
                       const struct pose *aim, const double *desired) {
    const struct model *tree = &solve->problem.bones->tree;
    int n = tree->joints, rows = aim->rows;
    double largest = 1.0;
    for (int i = 0; i < n; i++) {
        const double *column = aim->columns + (size_t)i * (size_t)rows;
        double *row = solve->whole + (size_t)i * (size_t)n, sum = 0.0;
        const double *secondary = matrix + (size_t)i * (size_t)n;
        for (int k = 0; k < rows; k++) sum += column[k] * desired[k];
        solve->vector[i] = descent[i] + AIM_COST * sum;
        for (int j = 0; j <= i; j++) {
            const double *other = aim->columns + (size_t)j * (size_t)rows;
            double product = 0.0;
            for (int k = 0; k < rows; k++) product += column[k] * other[k];
            row[j] = AIM_COST * product + secondary[j];
        }
        largest = larger(largest, secondary[i]);
        solve->least[i] = tree->joint[i].lower - values[i];
        solve->most[i] = tree->joint[i].upper - values[i];
    }
    for (int i = 0; i < n; i++) solve->whole[(size_t)i * (size_t)n + (size_t)i] += EXACT * largest;
    boxed_stationary(n, solve->whole, solve->vector, solve->least, solve->most, PASSES, solve->step, solve->scratch);
    double longest = step_length(solve);
    for (int i = 0; longest > LONGEST_STEP && i < n; i++) solve->step[i] *= LONGEST_STEP / longest;
}

/* Writes the step toward the minimum of the quadratic model, within limits, and the forces that hold the aim. */
static void step_from(struct solve *solve, const struct evaluated *state, double damping) {
    size_t n = (size_t)solve->problem.bones->tree.joints;
    int rows = state->aim.rows, has_forces = 0;
    double share = smaller(1.0, LARGEST_TURN / larger(state->aim.size, LARGEST_TURN)) / (1.0 + damping);
    for (int k = 0; k < rows; k++) {
        solve->desired[k] = state->aim.error[k] * share;
        has_forces |= solve->forces[k] != 0.0;
    }
    memcpy(solve->matrix, state->matrix, sizeof *solve->matrix * n * n);
    if (has_forces && has_view(&solve->problem)) add_curvature(&solve->problem, &state->aim, solve->forces, solve->matrix);
    for (size_t i = 0; i < n; i++) solve->matrix[i * n + i] += damping * state->matrix[i * n + i];
    solve_step(solve, solve->matrix, state->descent, state->at.values, &state->aim, solve->desired);
    for (int k = 0; k < rows; k++) {
        double reduced = 0.0;
        for (size_t i = 0; i < n; i++) reduced += state->aim.columns[i * (size_t)rows + (size_t)k] * solve->step[i];
        solve->forces[k] = AIM_COST * (solve->desired[k] - reduced);
    }
}

/* Writes the least step, by the secondary cost of `state`, that meets the linear model of the aim, within limits. */
static void step_to_aim(struct solve *solve, const struct evaluated *state, const double *values, const struct pose *aim) {
    solve_step(solve, state->matrix, solve->zeros, values, aim, aim->error);
}

/* Moves `solved`, which is near `state`, to the nearest pose that meets the aim, or comes as near to it as
 * the last steps allow; `spare` is overwritten. */
static void polish(struct solve *solve, const struct evaluated *state, const struct pose *aim, struct pose *spare) {
    const struct bones *bones = solve->problem.bones;
    for (int i = 0; i < POLISHING_STEPS && aim->size > SAME_ANGLE; i++) {
        double size = aim->size;
        step_to_aim(solve, state, solve->solved.values, aim);
        moved_by(bones, &solve->solved, solve->step, &solve->trial);
        if (size >= NEARLY_MET) {
            evaluate_bones_aim(&solve->problem, &solve->trial, spare);
            if (spare->size >= size) break;
            aim = spare;
        }
        copy_configuration(bones, &solve->trial, &solve->solved);
        if (size < NEARLY_MET) break;
    }
}

/* The price of the aim error: twice the norm of the aim's forces, and at least the last price. */
static double price_of(const struct solve *solve, int rows, double price) {
    double square = 0.0;
    for (int k = 0; k < rows; k++) square += solve->forces[k] * solve->forces[k];
    return larger(price, 2.0 * sqrt(square));
}

/* Writes the optimum to `solved`, by damped Newton steps; returns its cost. */
static double descended(struct solve *solve, struct limber_bones_solve *task) {
    const struct bones *bones = solve->problem.bones;
    struct evaluated *state = &solve->first, *next = &solve->second;
    int n = bones->tree.joints, is_last = 0;
    double damping = 0.0, price = LEAST_PRICE, cost = 0.0;
    task->goes_on = begun(solve, task, state);
    for (task->steps = 0; task->steps < MOST_STEPS && !is_last;) {
        task->steps++;
        step_from(solve, state, damping);
        price = price_of(solve, state->aim.rows, price);
        moved_by(bones, &state->at, solve->step, &next->at);
        if (step_length(solve) < (damping == 0.0 ? SMALL_STEP : NO_STEP)) {
            cost = cost_after(n, state, solve->step);
            copy_configuration(bones, &next->at, &solve->solved);
            evaluate_bones_aim(&solve->problem, &solve->solved, &next->aim);
            polish(solve, state, &next->aim, &next->aim);
            return cost;
        }
        evaluate_bones(&solve->problem, next);
        if (cost_of(next, price) > cost_of(state, price) && next->aim.size < NEARLY) {
            /* The step follows the aim only to first order: it is corrected to meet the aim before it is
               judged. */
            step_to_aim(solve, next, next->at.values, &next->aim);
            moved_by(bones, &next->at, solve->step, &solve->trial);
            copy_configuration(bones, &solve->trial, &next->at);
            evaluate_bones(&solve->problem, next);
        }
        double gain = cost_of(state, price) - cost_of(next, price);
        if (gain < -SAME_ANGLE) {
            damping = larger(FIRST_DAMPING, 10.0 * damping);
            continue;
        }
        struct evaluated *reached = next;
        next = state, state = reached;
        damping = damping > FIRST_DAMPING ? 0.1 * damping : 0.0;
        is_last = gain <= LEAST_GAIN * cost_of(state, price);
    }
    copy_configuration(bones, &state->at, &solve->solved);
    polish(solve, state, &state->aim, &next->aim);
    return state->secondary;
}

/* Writes the errors of the ends at the resulting angles, and the size of the remaining aim error. */
static void write_errors(struct solve *solve, struct limber_bones_solve *task) {
    const struct model *tree = &solve->problem.bones->tree;
    struct pose *pose = &solve->second.aim;
    double end[12];
    configured(solve->problem.bones, task->angles, &solve->trial);
    evaluate_bones_aim(&solve->problem, &solve->trial, pose);
    task->missed = pose->size;
    for (int i = 0; i < task->aims; i++) {
        end_frame(tree, pose->frames, (int)task->aim[i].end, end);
        task->errors[i] = end_error_in(&task->aim[i], end, tree->reach);
    }
}

int32_t limber_bones_solve(struct limber_bones_solve *task) {
    struct solve solve;
    int32_t wrong = begin_solve(task, &solve);
    if (wrong) return wrong;
    const struct bones *bones = solve.problem.bones;
    size_t n = (size_t)bones->tree.joints, rows;
    double cost = descended(&solve, task);
    angles_of(bones, &solve.solved, task->reference, task->angles);
    deviation_of(bones, &solve.problem.authored, &solve.solved, task->deviation);
    rows = (size_t)solve.first.aim.rows;
    if (!is_within(task->angles, n, LARGEST) || !is_within(task->deviation, n + 9 * (size_t)bones->balls, LARGEST) ||
        !is_within(solve.forces, rows, LARGEST) || !is_within(&cost, 1, LARGEST))
        return LIMBER_NOT_FINITE;
    memcpy(task->forces, solve.forces, sizeof *task->forces * rows);
    task->rows = (int32_t)rows, task->cost = cost;
    write_errors(&solve, task);
    return LIMBER_OK;
}

int32_t limber_bones_step(const struct limber_bones_solve *task, double damping, double *step, double *matrix,
                          double *descent, double *values) {
    struct solve solve;
    int32_t wrong = begin_solve(task, &solve);
    if (wrong) return wrong;
    if (!step || !matrix || !descent || !values) return LIMBER_SIZE;
    if (!(damping >= 0.0 && damping <= FARTHEST)) return LIMBER_NOT_FINITE;
    size_t n = (size_t)solve.problem.bones->tree.joints;
    struct evaluated *state = &solve.first;
    begun(&solve, task, state);
    step_from(&solve, state, damping);
    memcpy(step, solve.step, sizeof *step * n);
    memcpy(matrix, state->matrix, sizeof *matrix * n * n);
    memcpy(descent, state->descent, sizeof *descent * n);
    values[0] = state->secondary, values[1] = state->aim.size;
    return is_within(step, n, LARGEST) && is_within(values, 2, LARGEST) ? LIMBER_OK : LIMBER_NOT_FINITE;
}
