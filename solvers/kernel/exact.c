#include "exact.h"

#include <string.h>

#include "aims.h"
#include "least_squares.h"
#include "shape.h"
#include "tree.h"
#include "vectors.h"

/* ratio of the errors after and before HISTORY successful steps, from which the correction ends (exact_aim.py) */
#define SLOWEST 0.999
#define HISTORY 4
#define LEAST_COST 1e-12      /* least cost of a joint; smaller ones are refused */

/* Evaluates the errors and columns of the aims at angles (n,). */
static void evaluate_error(struct work *work, const double *angles) {
    forward(work->model, angles, work->pose.frames, work->pose.axes);
    evaluate_aims(work->model, &work->goal, 0.0, &work->pose);
}

/* Solves (sum of c c' / cost + damping trace) x = error by Cholesky factors over the free joints, where c are the
 * columns. */
static void solve_damped(const struct work *work, const double *free, double damping, double *x) {
    int n = work->n, rows = work->pose.rows;
    double *a = work->rows_matrix, trace = 0.0;
    memset(a, 0, sizeof *a * (size_t)rows * (size_t)rows);
    for (int k = 0; k < n; k++) {
        const double *column = work->pose.columns + k * rows;
        if (free[k] == 0.0) continue;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j <= i; j++) a[i * rows + j] += column[i] * column[j] * work->ease[k];
    }
    for (int i = 0; i < rows; i++) trace += a[i * rows + i];
    /* if all columns are zero, the step is zero, instead of a division by zero */
    double ridge = damping * trace + TINY;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= i; j++) {
            double rest = a[i * rows + j];
            for (int m = 0; m < j; m++) rest -= a[i * rows + m] * a[j * rows + m];
            a[i * rows + j] = i == j ? sqrt(larger(rest, 0.0) + ridge) : rest / a[j * rows + j];
        }
    for (int i = 0; i < rows; i++) {
        for (int m = 0; m < i; m++) x[i] -= a[i * rows + m] * x[m];
        x[i] /= a[i * rows + i];
    }
    for (int i = rows - 1; i >= 0; i--) {
        for (int m = i + 1; m < rows; m++) x[i] -= a[m * rows + i] * x[m];
        x[i] /= a[i * rows + i];
    }
}

/* Same as `solve_damped` for three rows, written out because most of a frame's time is spent here, and by factors
 * without square roots (L D L'): their pivots are the squares of Cholesky's. */
static void solve_three(const struct work *work, const double *free, double damping, double *x) {
    const double *column = work->pose.columns;
    double xx = 0.0, yx = 0.0, yy = 0.0, zx = 0.0, zy = 0.0, zz = 0.0;
    for (int k = 0; k < work->n; k++, column += 3) {
        double ease = work->ease[k];
        if (free[k] == 0.0) continue;
        xx += column[0] * column[0] * ease;
        yx += column[1] * column[0] * ease, yy += column[1] * column[1] * ease;
        zx += column[2] * column[0] * ease, zy += column[2] * column[1] * ease, zz += column[2] * column[2] * ease;
    }
    double ridge = damping * (xx + yy + zz) + TINY;
    double first = larger(xx, 0.0) + ridge, b = yx / first, c = zx / first;
    double second = larger(yy - b * yx, 0.0) + ridge, rest = zy - c * yx, e = rest / second;
    double third = larger(zz - c * zx - e * rest, 0.0) + ridge;
    double y = x[1] - b * x[0], z = (x[2] - c * x[0] - e * y) / third;
    y = y / second - e * z;
    x[0] = x[0] / first - b * y - c * z, x[1] = y, x[2] = z;
}

/* The step (n,) of least cost that removes the residual, as far as limits and damping allow. Joints that
 * it would take beyond a limit stop at the limit; the others compensate. */
static void least_change(struct work *work, const double *angles, double damping, double *step) {
    int n = work->n, rows = work->pose.rows, left = n;
    const struct joint *joint = work->model->joint;
    double shrink = work->pose.size > 0.0 ? smaller(1.0, LONGEST_STEP / work->pose.size) : 1.0;
    double *wanted = work->rows_wanted, *weights = work->rows_weights, *free = work->least, *over = work->most;
    for (int i = 0; i < rows; i++) wanted[i] = shrink * work->pose.error[i];
    for (int k = 0; k < n; k++) free[k] = 1.0, step[k] = 0.0;
    while (left > 0) {
        int beyond = 0;
        for (int i = 0; i < rows; i++) weights[i] = wanted[i];
        (rows == 3 ? solve_three : solve_damped)(work, free, damping, weights);
        for (int k = 0; k < n; k++) {
            over[k] = 0.0;
            if (free[k] == 0.0) continue;
            const double *column = work->pose.columns + k * rows;
            double move = rows == 3 ? dot(column, weights) : 0.0, scale = joint[k].scale;
            for (int i = 0; rows != 3 && i < rows; i++) move += column[i] * weights[i];
            step[k] = clamped(move * work->ease[k], -LONGEST_STEP * scale, LONGEST_STEP * scale);
            over[k] = !(joint[k].lower <= angles[k] + step[k] && angles[k] + step[k] <= joint[k].upper);
            beyond |= over[k] != 0.0;
        }
        if (!beyond) break;
        for (int k = 0; k < n; k++) {
            if (over[k] == 0.0) continue;
            const double *column = work->pose.columns + k * rows;
            step[k] = (step[k] < 0.0 ? joint[k].lower : joint[k].upper) - angles[k];
            for (int i = 0; i < rows; i++) wanted[i] -= column[i] * step[k];
            free[k] = 0.0, left--;
        }
    }
}

/* Exchanges the evaluated pose with the pose kept for comparison. */
static void swap_poses(struct work *work) {
    struct pose evaluated = work->pose;
    work->pose = work->kept, work->kept = evaluated;
}

int correct(struct work *work, double *angles, int most_steps) {
    int n = work->n, steps = 0;
    const struct joint *joint = work->model->joint;
    double *step = work->move, *trial = work->trial;
    double history[HISTORY] = {INFINITY, INFINITY, INFINITY, INFINITY}, damping = REDUNDANT;
    for (int k = 0; k < n; k++) angles[k] = clamped(angles[k], joint[k].lower, joint[k].upper);
    evaluate_error(work, angles);
    while (work->pose.size > SAME_ANGLE && steps < most_steps && work->pose.size < SLOWEST * history[0]) {
        steps++;
        least_change(work, angles, damping, step);
        for (int k = 0; k < n; k++) trial[k] = clamped(angles[k] + step[k], joint[k].lower, joint[k].upper);
        swap_poses(work);
        evaluate_error(work, trial);
        if (work->pose.size < work->kept.size) {
            for (int i = 1; i < HISTORY; i++) history[i - 1] = history[i];
            history[HISTORY - 1] = work->kept.size;
            memcpy(angles, trial, sizeof *angles * (size_t)n);
            damping = damping > FIRST_SHARE ? larger(REDUNDANT, 0.1 * damping) : REDUNDANT;
        } else {
            swap_poses(work); /* the step is not made */
            damping = larger(FIRST_SHARE, 10.0 * damping);
            if (damping > MOST_SHARE) break;
        }
    }
    return steps;
}

int correct_or_look(struct work *work, double *angles, int most_steps) {
    int steps = correct(work, angles, most_steps), has_up = 0;
    for (int i = 0; i < work->goal.aims; i++) has_up |= (int)work->goal.aim[i].parts & LIMBER_UPRIGHT;
    if (work->pose.size <= MET || !has_up) return steps;
    const struct limber_aim *whole = work->goal.aim;
    for (int i = 0; i < work->goal.aims; i++) {
        work->free_roll[i] = whole[i];
        work->free_roll[i].parts = (double)((int)whole[i].parts & ~LIMBER_UPRIGHT);
    }
    work->goal.aim = work->free_roll;
    steps += correct(work, angles, most_steps);
    work->goal.aim = whole;
    evaluate_error(work, angles);
    return steps;
}

double view_error(const struct work *work) {
    const struct limber_aim *aim = work->goal.aim;
    const double *error = work->pose.error;
    int parts = (int)aim->parts;
    if (aim->weight <= 0.0) return 0.0;
    if (parts & LIMBER_ORIENTATION) return sqrt(dot(error, error)) / aim->weight;
    if (!(parts & (LIMBER_DIRECTION | LIMBER_POINT))) return 0.0;
    return hypot(error[0], error[1]) / aim->weight;
}

int32_t limber_correct(const struct limber_problem *problem, struct limber_correction *correction) {
    struct work work;
    if (!correction) return LIMBER_SIZE;
    int32_t wrong = (correction->measures_shape ? begin : begin_aims)(problem, 1, &work);
    if (wrong) return wrong;
    size_t n = (size_t)work.n;
    if (!correction->angles || !correction->errors || correction->most_steps < 0 ||
        correction->most_steps > MAX_ITERATIONS)
        return LIMBER_SIZE;
    double *angles = correction->angles;
    const double *costs = correction->costs;
    if (!is_within(angles, n, FARTHEST) || (costs && !is_within(costs, n, LARGEST))) return LIMBER_NOT_FINITE;
    for (size_t k = 0; costs && k < n; k++) {
        if (costs[k] < LEAST_COST) return LIMBER_SIZE;
        work.ease[k] /= costs[k];
    }
    work.goal.has_rolls = 0; /* `level` changes neither the aim nor the shape deviation */
    correction->steps = (correction->looks ? correct_or_look : correct)(&work, angles, correction->most_steps);
    correction->aim_error = work.pose.size, correction->cosine = 0.0;
    if (correction->measures_shape) {
        evaluate_directions(work.model, angles, &work.pose);
        fit(work.model, &work.authored, &work.goal, &work.pose);
        correction->cosine = work.pose.cosine;
    }
    write_end_errors(&work, correction->errors);
    return LIMBER_OK;
}
