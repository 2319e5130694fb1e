#include "descent.h"

#include <string.h>

#include "aims.h"
#include "end_error.h"
#include "shape.h"
#include "step.h"
#include "tree.h"
#include "vectors.h"

/* constants of solvers/expressive/descent.py, explained there */
#define LARGEST_TURN 0.6
#define AIM_WEIGHT 300.0
#define LEAST_PROXIMAL 1e-6
#define BOLD_PROXIMAL 0.01
#define BOLD_STEP 0.5
#define HOLD_STEPS 5

static void take_pose(struct pieces *pieces, const struct model *model, size_t aims, struct pose *pose) {
    size_t n = (size_t)model->joints, l = (size_t)model->directions, real = sizeof(double);
    pose->frames = take(pieces, 12 * n, real);
    pose->axes = take(pieces, 3 * n, real);
    pose->directions = take(pieces, 3 * l, real);
    pose->slides = take(pieces, 3 * l, real);
    pose->error = take(pieces, ROWS_OF_AIM * aims, real);
    pose->columns = take(pieces, ROWS_OF_AIM * aims * n, real);
}

/* Takes the arrays from `memory`; returns their size [bytes], also if `memory` is NULL. */
static size_t laid_out(struct work *work, char *memory, const struct model *model, size_t aims, size_t m) {
    struct pieces pieces = {memory, 0};
    size_t n = (size_t)model->joints, l = (size_t)model->directions, e = (size_t)model->ends, real = sizeof(double);
    work->goal.roll = take(&pieces, aims, sizeof *work->goal.roll);
    work->authored.parts = take(&pieces, 9 * l, real);
    work->authored.end_axes = take(&pieces, 9 * e, real);
    take_pose(&pieces, model, aims, &work->pose);
    take_pose(&pieces, model, aims, &work->kept);
    work->matrix = take(&pieces, n * n, real);
    double **vectors[] = {&work->descent, &work->least, &work->most, &work->move,
                          &work->lower,   &work->upper, &work->trial, &work->zeros, &work->previous,
                          &work->toward, &work->path,  &work->path_next, &work->ease};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = take(&pieces, n, real);
    work->rows_matrix = take(&pieces, ROWS_OF_AIM * aims * ROWS_OF_AIM * aims, real);
    work->rows_wanted = take(&pieces, ROWS_OF_AIM * aims, real);
    work->rows_weights = take(&pieces, ROWS_OF_AIM * aims, real);
    work->free_roll = take(&pieces, aims, sizeof *work->free_roll);
    work->shape_scratch = take(&pieces, shape_scratch(model), real);
    work->boxed_scratch = take(&pieces, boxed_scratch((int)n), real);
    work->angles = take(&pieces, m * n, real);
    work->others = take(&pieces, m * n, real);
    work->spare = take(&pieces, m * n, real);
    double **numbers[] = {&work->merit, &work->cosine, &work->size, &work->sides, &work->speeds, &work->costs,
                          &work->spare_sides};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = take(&pieces, m, real);
    int32_t **indices[] = {&work->order, &work->picked, &work->kinds, &work->branches};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) *indices[i] = take(&pieces, m, sizeof(int32_t));
    return pieces.bytes;
}

static int counts_fit(int32_t aims, int32_t candidates) {
    return aims >= 1 && aims <= MOST_AIMS && candidates >= 1 && candidates <= MOST_CANDIDATES;
}

size_t limber_workspace_bytes(const void *memory, int32_t aims, int32_t candidates) {
    const struct model *model = model_in(memory);
    struct work work;
    if (!model || !counts_fit(aims, candidates)) return 0;
    return laid_out(&work, NULL, model, (size_t)aims, (size_t)candidates);
}

int32_t begin_aims(const struct limber_problem *problem, int32_t candidates, struct work *work) {
    if (!problem || !problem->aim) return LIMBER_SIZE;
    const struct model *model = model_in(problem->model);
    if (!model) return LIMBER_MODEL;
    if (!counts_fit(problem->aims, candidates) || !problem->workspace || ((uintptr_t)problem->workspace & 15) ||
        problem->workspace_bytes < laid_out(work, problem->workspace, model, (size_t)problem->aims, (size_t)candidates))
        return LIMBER_SIZE;
    int32_t error = check_aims(model, problem->aim, problem->aims);
    if (error) return error;
    work->model = model, work->n = model->joints, work->candidates = candidates;
    for (int i = 0; i < work->n; i++) work->ease[i] = model->joint[i].scale * model->joint[i].scale;
    work->goal.aims = problem->aims, work->goal.aim = problem->aim, work->goal.has_rolls = 0;
    work->goal.sided = sided_aim(problem->aim, problem->aims);
    return LIMBER_OK;
}

int32_t begin(const struct limber_problem *problem, int32_t candidates, struct work *work) {
    int32_t error = begin_aims(problem, candidates, work);
    if (error) return error;
    const struct model *model = work->model;
    if (!problem->posture) return LIMBER_SIZE;
    if (!is_within(problem->posture, (size_t)work->n, FARTHEST) || !is_within(&problem->keep, 1, 1.0))
        return LIMBER_NOT_FINITE;
    work->authored.keep = problem->keep;
    memset(work->zeros, 0, sizeof *work->zeros * (size_t)work->n);
    forward(model, problem->posture, work->pose.frames, work->pose.axes);
    evaluate_directions(model, problem->posture, &work->pose);
    author(model, &work->pose, &work->authored);
    prepare_rolls(&work->authored, &work->goal);
    return LIMBER_OK;
}

int32_t check_goal(const struct work *work, const struct limber_aim *aim) {
    return check_aims(work->model, aim, work->goal.aims);
}

void set_aims(struct work *work, const struct limber_aim *aim) {
    work->goal.aim = aim;
    work->goal.sided = sided_aim(aim, work->goal.aims);
    prepare_rolls(&work->authored, &work->goal);
}

void evaluate(struct work *work, const double *angles, double side) {
    forward(work->model, angles, work->pose.frames, work->pose.axes);
    evaluate_directions(work->model, angles, &work->pose);
    evaluate_aims(work->model, &work->goal, side, &work->pose);
    fit(work->model, &work->authored, &work->goal, &work->pose);
}

void change_side(struct work *work, double side) { evaluate_aims(work->model, &work->goal, side, &work->pose); }

void write_end_errors(const struct work *work, struct limber_end_error *errors) {
    for (int i = 0; i < work->goal.aims; i++) {
        const struct limber_aim *aim = &work->goal.aim[i];
        double end[12];
        end_frame(work->model, work->pose.frames, (int)aim->end, end);
        errors[i] = end_error_in(aim, end, work->model->reach);
    }
}

double merit_of(const struct work *work) {
    return 2.0 * (1.0 - work->pose.cosine) + AIM_COST * work->pose.size / work->model->directions;
}

/* Writes the Gauss-Newton system of half the squared aim error, times `weight`; errors are clipped to what one step can
 * correct. */
static void aim_system(struct work *work, double weight) {
    int n = work->n, rows = work->pose.rows;
    double clip = weight * LARGEST_TURN / larger(work->pose.size, LARGEST_TURN);
    for (int i = 0; i < n; i++) {
        const double *column = work->pose.columns + i * rows;
        double *row = work->matrix + (size_t)i * (size_t)n, sum = 0.0;
        for (int k = 0; k < rows; k++) sum += column[k] * work->pose.error[k];
        work->descent[i] = clip * sum;
        for (int j = 0; j <= i; j++) {
            const double *other = work->pose.columns + j * rows;
            double product = 0.0;
            for (int k = 0; k < rows; k++) product += column[k] * other[k];
            row[j] = weight * product;
        }
    }
}

/* Angles (n,) at the minimum of the system within bounds. */
static void move(struct work *work, const double *angles, const double *lower, const double *upper, int passes,
                 double *out) {
    int n = work->n;
    for (int i = 0; i < n; i++) work->least[i] = lower[i] - angles[i], work->most[i] = upper[i] - angles[i];
    boxed(n, work->matrix, work->descent, work->least, work->most, passes, work->move, work->boxed_scratch);
    for (int i = 0; i < n; i++) out[i] = clamped(angles[i] + work->move[i], lower[i], upper[i]);
}

void guided(struct work *work, const double *angles, const struct step_goal *goal, int passes, double *out) {
    const struct model *model = work->model;
    int n = work->n;
    aim_system(work, AIM_WEIGHT * AIM_WEIGHT * goal->aim);
    if (goal->shape > 0.0)
        add_shape(model, &work->authored, &work->goal, &work->pose, goal->shape, work->matrix, work->descent,
                  work->shape_scratch);
    for (int i = 0; i < n; i++) {
        double ridge = goal->proximal / (model->joint[i].scale * model->joint[i].scale);
        work->matrix[(size_t)i * (size_t)n + (size_t)i] += ridge;
        work->descent[i] += ridge * goal->toward[i];
    }
    move(work, angles, goal->lower, goal->upper, passes, out);
}

void bold(struct work *work, const double *angles, double shape, int passes, double *out) {
    const struct model *model = work->model;
    int n = work->n;
    for (int i = 0; i < n; i++) work->lower[i] = model->joint[i].lower, work->upper[i] = model->joint[i].upper;
    struct step_goal goal = {work->zeros, shape, 1.0, shape > 0.0 ? BOLD_PROXIMAL : 1.0, work->lower, work->upper};
    guided(work, angles, &goal, passes, work->trial);
    double size = 0.0;
    for (int i = 0; i < n; i++) size = larger(size, fabs(work->trial[i] - angles[i]) / model->joint[i].scale);
    double share = BOLD_STEP / larger(size, BOLD_STEP);
    for (int i = 0; i < n; i++)
        out[i] = clamped(angles[i] + share * (work->trial[i] - angles[i]), work->lower[i], work->upper[i]);
}

void corrected(struct work *work, const double *angles, const double *lower, const double *upper, double *out) {
    int n = work->n;
    aim_system(work, 1.0);
    for (int i = 0; i < n; i++) {
        double scale = work->model->joint[i].scale;
        work->matrix[(size_t)i * (size_t)n + (size_t)i] += LEAST_PROXIMAL / (scale * scale);
    }
    move(work, angles, lower, upper, PASSES, out);
}

int hold(struct work *work, const double *desired, const double *lower, const double *upper, double *out) {
    int n = work->n, best = 0, evaluated = 0;
    double least = INFINITY, *angles = work->trial;
    memcpy(angles, desired, sizeof *angles * (size_t)n);
    memcpy(out, desired, sizeof *angles * (size_t)n);
    for (int step = 0; step <= HOLD_STEPS; step++) {
        evaluate(work, angles, 0.0);
        evaluated = step;
        if (work->pose.size < least) {
            least = work->pose.size, best = step;
            memcpy(out, angles, sizeof *angles * (size_t)n);
        }
        if (least < HELD || step == HOLD_STEPS) break;
        corrected(work, angles, lower, upper, angles);
    }
    if (best != evaluated) evaluate(work, out, 0.0);
    return best;
}

int32_t limber_forward(const void *memory, const double *angles, double *frames, double *axes) {
    const struct model *model = model_in(memory);
    if (!model) return LIMBER_MODEL;
    if (!angles || !frames || !axes) return LIMBER_SIZE;
    if (!is_within(angles, (size_t)model->joints, FARTHEST)) return LIMBER_NOT_FINITE;
    forward(model, angles, frames, axes);
    return LIMBER_OK;
}

int32_t limber_boxed(int32_t n, const double *matrix, const double *descent, const double *least, const double *most,
                     int32_t passes, double *x, double *scratch) {
    if (n < 1 || n > MOST_JOINTS || passes < 1 || passes > 1000) return LIMBER_SIZE;
    size_t count = (size_t)n;
    if (!is_within(matrix, count * count, LARGEST) || !is_within(descent, count, LARGEST) ||
        !is_within(least, count, LARGEST) || !is_within(most, count, LARGEST))
        return LIMBER_NOT_FINITE;
    boxed(n, matrix, descent, least, most, passes, x, scratch);
    return LIMBER_OK;
}

int32_t limber_evaluate(const struct limber_problem *problem, const double *angles, double side, double *error,
                        double *columns, double *matrix, double *descent, double *values) {
    struct work work;
    int32_t wrong = begin(problem, 1, &work);
    if (wrong) return wrong;
    size_t n = (size_t)work.n;
    if (!is_within(angles, n, FARTHEST) || !is_within(&side, 1, 1.0)) return LIMBER_NOT_FINITE;
    evaluate(&work, angles, side);
    size_t rows = (size_t)work.pose.rows;
    memcpy(error, work.pose.error, sizeof *error * rows);
    memcpy(columns, work.pose.columns, sizeof *columns * rows * n);
    memset(matrix, 0, sizeof *matrix * n * n);
    memset(descent, 0, sizeof *descent * n);
    add_shape(work.model, &work.authored, &work.goal, &work.pose, 1.0, matrix, descent, work.shape_scratch);
    const double found[6] = {(double)rows,      work.pose.size,    work.pose.cosine,
                             work.pose.turn[0], work.pose.turn[1], merit_of(&work)};
    memcpy(values, found, sizeof found);
    return LIMBER_OK;
}

int32_t limber_descend(const struct limber_problem *problem, int32_t candidates, double *angles, const double *sides,
                       const double *shape, int32_t steps, int32_t passes, double *values) {
    struct work work;
    int32_t wrong = begin(problem, candidates, &work);
    if (wrong) return wrong;
    size_t n = (size_t)work.n, m = (size_t)candidates;
    if (steps < 0 || steps > 1000 || passes < 1 || passes > 1000) return LIMBER_SIZE;
    if (!is_within(angles, n * m, FARTHEST) || !is_within(sides, m, 1.0) || !is_within(shape, m, 1.0))
        return LIMBER_NOT_FINITE;
    for (size_t i = 0; i < m; i++) {
        double *row = angles + i * n;
        for (int32_t step = 0; step < steps; step++) {
            evaluate(&work, row, sides[i]);
            bold(&work, row, shape[i], passes, row);
        }
        evaluate(&work, row, sides[i]);
        values[i] = merit_of(&work), values[m + i] = work.pose.cosine, values[2 * m + i] = work.pose.size;
    }
    return LIMBER_OK;
}
