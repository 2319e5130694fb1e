/* ERIK on a skeleton: from its goal to the virtual chain and back. Source: solvers/erik/solver.py. */
#include <string.h>

#include "erik.h"
#include "look.h"
#include "model.h"
#include "tree.h"

#define MOST_COUNT 1000     /* iterations, sweeps and views */
#define LARGEST_ANGLE 1e300 /* of an authored posture, which may be many rotations away */

/* A task laid out in its workspace. */
struct solver {
    const struct limber_erik *task;
    const struct model *model;
    struct erik erik;
    double *posture, *previous; /* (revolute,) angles of the virtual chain */
    double *angles;             /* (n,) of the last solve */
    double *frames, *axes;      /* (n, 12), (n, 3) */
};

static size_t laid_out(struct solver *solver, char *memory, size_t n) {
    struct pieces pieces = {memory, 0};
    solver->posture = take(&pieces, n, sizeof(double));
    solver->previous = take(&pieces, n, sizeof(double));
    solver->angles = take(&pieces, n, sizeof(double));
    solver->frames = take(&pieces, 12 * n, sizeof(double));
    solver->axes = take(&pieces, 3 * n, sizeof(double));
    return pieces.bytes + erik_laid_out(&solver->erik, memory ? memory + pieces.bytes : NULL, n);
}

size_t limber_erik_bytes(const void *memory) {
    const struct model *model = model_in(memory);
    struct solver solver;
    return model ? laid_out(&solver, NULL, (size_t)model->joints) : 0;
}

static int counts_fit(const struct limber_hyperparameters *hyper) {
    const int32_t counts[4] = {hyper->max_iterations, hyper->max_bwcd_iterations, hyper->max_ccd_iterations,
                               hyper->avoid_edges_from_iteration};
    for (int i = 0; i < 4; i++)
        if (counts[i] < 1 || counts[i] > MOST_COUNT) return 0;
    return 1;
}

static int32_t check_chain(const struct limber_erik *task, const struct model *model) {
    size_t count = (size_t)task->revolute;
    if (!is_within((const double *)task->joint_models, count * sizeof *task->joint_models / sizeof(double), FARTHEST))
        return LIMBER_NOT_FINITE;
    for (int k = 0; k < task->revolute; k++)
        if (task->turning[k] < (k ? task->turning[k - 1] + 1 : 0) || task->turning[k] >= model->joints ||
            task->joint_models[k].lower > task->joint_models[k].upper ||
            (task->joint_models[k].has_latitude != 0.0 && task->joint_models[k].swing <= 0.0))
            return LIMBER_JOINT;
    return LIMBER_OK;
}

static int32_t check_task(const struct limber_erik *task, const struct model *model) {
    size_t n = (size_t)model->joints;
    const struct limber_hyperparameters *hyper = &task->hyper;
    const double numbers[] = {hyper->orientation_weight, hyper->posture_weight, hyper->threshold, hyper->aggravation,
                              hyper->disturbance, hyper->progress, hyper->ccd_error, hyper->ccd_precision};
    if (task->revolute < 1 || task->revolute > model->joints || task->max_views < 1 || task->max_views > MOST_COUNT ||
        !counts_fit(hyper) || !task->workspace || ((uintptr_t)task->workspace & 15) ||
        task->workspace_bytes < limber_erik_bytes(model) || !task->turning || !task->joint_models || !task->posture ||
        !task->angles)
        return LIMBER_SIZE;
    if (!is_within(numbers, sizeof numbers / sizeof *numbers, LARGEST) ||
        !is_within((const double *)&task->to_virtual, 4, 2.0) || !is_within((const double *)&task->orientation, 4, 2.0) ||
        !is_within((const double *)&task->view, 3, LARGEST) || !is_within((const double *)&task->up, 3, LARGEST) ||
        !is_within(task->posture, n, LARGEST_ANGLE) || (task->previous && !is_within(task->previous, n, FARTHEST)))
        return LIMBER_NOT_FINITE;
    int kind = task->parts & ~LIMBER_UPRIGHT;
    if (kind != LIMBER_ORIENTATION && kind != LIMBER_DIRECTION && kind != LIMBER_POINT) return LIMBER_GOAL;
    return check_chain(task, model);
}

/* Joint values (n,) within limits. */
static void clamp(const struct model *model, const double *values, double *out) {
    for (int k = 0; k < model->joints; k++) {
        double lower = model->joint[k].lower, upper = model->joint[k].upper;
        out[k] = values[k] < lower ? lower : values[k] > upper ? upper : values[k];
    }
}

/* The angle plus the full rotations that bring it nearest to `desired` within the joint's limits. */
static double unwound(const struct joint *joint, double angle, double desired) {
    double nearest = desired < joint->lower ? joint->lower : desired > joint->upper ? joint->upper : desired;
    double turns = rint((nearest - angle) / TAU), turned = angle + turns * TAU;
    if (turns != 0.0 && !(joint->lower <= turned && turned <= joint->upper)) /* the nearest to a limit may be beyond it */
        turned = angle + (turns > 0.0 ? turns - 1.0 : turns + 1.0) * TAU;
    return turned;
}

/* ERIK's angles (n,) for an orientation of the tool, or with NULL for its view; `previous` (n,) may be NULL. */
static int towards(struct solver *solver, const Quaternion *tool_target, Vector view, const double *previous,
                   double *angles) {
    const struct limber_erik *task = solver->task;
    struct end_aim aim = {rotate(task->to_virtual, view), IDENTITY, 0, task->symmetric};
    if (tool_target) {
        aim.orientation = multiply(task->to_virtual, *tool_target), aim.has_orientation = 1;
        aim.direction = rotate(aim.orientation, Y);
    }
    for (int i = 0; i < task->revolute; i++) {
        solver->posture[i] = task->posture[task->turning[i]];
        if (previous) solver->previous[i] = previous[task->turning[i]];
    }
    if (!calculate_erik(&solver->erik, solver->posture, &aim, previous ? solver->previous : NULL)) return 0;
    const double *nearest = previous ? previous : task->posture;
    for (int i = 0; i < task->revolute; i++) solver->posture[i] = nearest[task->turning[i]];
    clamp(solver->model, task->posture, angles);
    for (int i = 0; i < task->revolute; i++) {
        int k = task->turning[i];
        angles[k] = unwound(&solver->model->joint[k], solver->erik.best[i], solver->posture[i]);
    }
    return 1;
}

static void keep_answer(const struct solver *solver, struct limber_erik *task, const double *angles) {
    memcpy(task->angles, angles, sizeof *angles * (size_t)solver->model->joints);
    task->posture_error = solver->erik.posture_error;
}

/* Frame (12) of the tool at angles (n,). */
static void tool_frame(const struct solver *solver, const double *angles, double *frame) {
    forward(solver->model, angles, solver->frames, solver->axes);
    end_frame(solver->model, solver->frames, 0, frame);
}

static Vector position_of(const double *frame) { return (Vector){frame[9], frame[10], frame[11]}; }

static Vector view_of(const double *frame) { return (Vector){frame[1], frame[4], frame[7]}; }

/* Solves for the view of a point repeatedly, each time from the end's position in the solution before. Each view after the
 * first goes on from the best solution yet. A view that increases the error is taken back, and a smaller step is made. */
static int seen(struct solver *solver, struct limber_erik *task) {
    double frame[12], best_error = INFINITY, share = 1.0;
    clamp(solver->model, task->previous ? task->previous : task->posture, solver->angles);
    tool_frame(solver, solver->angles, frame);
    Vector gap = subtract(task->view, position_of(frame));
    Vector view = length(gap) > NO_DIRECTION ? unit(gap) : view_of(frame), best_view = view, best_seen = view;
    const double *previous = task->previous;
    int iterations = 0;
    for (int i = 0; i < task->max_views; i++) {
        Quaternion target;
        int has_target = (task->parts & LIMBER_UPRIGHT) && upright(view, task->up, &target);
        if (!towards(solver, has_target ? &target : NULL, view, previous, solver->angles)) return 0;
        iterations += solver->erik.iterations;
        tool_frame(solver, solver->angles, frame);
        gap = subtract(task->view, position_of(frame));
        double error = vector_angle(gap, view_of(frame));
        if (i == 0 || error < best_error) {
            keep_answer(solver, task, solver->angles);
            previous = task->angles;
            best_error = error, best_view = view;
            best_seen = length(gap) > NO_DIRECTION ? unit(gap) : view;
        } else {
            share *= 0.5;
        }
        if (best_error <= task->hyper.ccd_error) break;
        Vector part = add(best_view, scale(subtract(best_seen, best_view), share));
        view = length(part) > NO_DIRECTION ? unit(part) : best_seen;
    }
    task->iterations = iterations;
    return 1;
}

int32_t limber_erik(struct limber_erik *task) {
    const struct model *model = task ? model_in(task->model) : NULL;
    if (!model) return LIMBER_MODEL;
    int32_t wrong = check_task(task, model);
    if (wrong) return wrong;
    struct solver solver = {.task = task, .model = model};
    laid_out(&solver, task->workspace, (size_t)model->joints);
    solver.erik.chain = (struct chain){task->revolute, task->joint_models};
    solver.erik.hyper = &task->hyper;
    int is_solved;
    if (task->parts & LIMBER_POINT) {
        is_solved = seen(&solver, task);
    } else {
        int has_target = task->parts & (LIMBER_ORIENTATION | LIMBER_UPRIGHT);
        is_solved = towards(&solver, has_target ? &task->orientation : NULL, task->view, task->previous, solver.angles);
        if (is_solved) keep_answer(&solver, task, solver.angles);
        task->iterations = solver.erik.iterations;
    }
    if (!is_solved) return LIMBER_NOT_FINITE;
    double frame[12];
    struct look look = {task->parts, task->symmetric, task->orientation, task->view, task->up};
    tool_frame(&solver, task->angles, frame);
    task->end_error = end_error(&look, frame, model->reach);
    return LIMBER_OK;
}
