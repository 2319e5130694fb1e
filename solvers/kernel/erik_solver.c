/* ERIK on a skeleton: converts its goal to the virtual chain, and the solution back. Source:
   solvers/erik/solver.py. */
#include <string.h>

#include "erik.h"
#include "look.h"
#include "model.h"

#define MOST_COUNT 1000     /* largest number of iterations, sweeps and views */
#define LARGEST_ANGLE 1e300 /* largest angle [rad] of an authored posture, which may be many rotations away */

/* A task, with its arrays in the workspace. */
struct solver {
    const struct limber_erik *task;
    struct erik erik;
    double *posture, *previous; /* (revolute,) angles of the virtual chain */
    double *angles;             /* (n,) [rad or m] angles of the last solve */
};

/* The tool's pose at some angles. */
struct tool {
    Quaternion rotation;
    Vector position;
};

static size_t laid_out(struct solver *solver, char *memory, size_t n) {
    struct pieces pieces = {memory, 0};
    solver->posture = take(&pieces, n, sizeof(double));
    solver->previous = take(&pieces, n, sizeof(double));
    solver->angles = take(&pieces, n, sizeof(double));
    return pieces.bytes + erik_laid_out(&solver->erik, memory ? memory + pieces.bytes : NULL, n);
}

size_t limber_erik_bytes(int32_t joints) {
    struct solver solver;
    return joints >= 1 && joints <= MOST_JOINTS ? laid_out(&solver, NULL, (size_t)joints) : 0;
}

static int counts_fit(const struct limber_hyperparameters *hyper) {
    const int32_t counts[4] = {hyper->max_iterations, hyper->max_bwcd_iterations, hyper->max_ccd_iterations,
                               hyper->avoid_edges_from_iteration};
    for (int i = 0; i < 4; i++)
        if (counts[i] < 1 || counts[i] > MOST_COUNT) return 0;
    return 1;
}

static int32_t check_chain(const struct limber_erik *task) {
    size_t links = (size_t)task->joints + 1, revolute = (size_t)task->revolute;
    if (!is_within((const double *)task->links, links * sizeof *task->links / sizeof(double), LARGEST) ||
        !is_within((const double *)task->joint_models, revolute * sizeof *task->joint_models / sizeof(double), FARTHEST))
        return LIMBER_NOT_FINITE;
    for (int k = 0; k < task->joints; k++)
        if (!(-FARTHEST <= task->links[k].lower && task->links[k].lower <= task->links[k].upper &&
              task->links[k].upper <= FARTHEST))
            return LIMBER_JOINT;
    for (int i = 0; i < task->revolute; i++) {
        const JointModel *model = &task->joint_models[i];
        if (task->turning[i] < (i ? task->turning[i - 1] + 1 : 0) || task->turning[i] >= task->joints ||
            model->lower > model->upper || (model->has_latitude != 0.0 && model->swing <= 0.0))
            return LIMBER_JOINT;
    }
    return LIMBER_OK;
}

static int32_t check_task(const struct limber_erik *task) {
    const Hyperparameters *hyper = &task->hyper;
    const struct limber_aim *aim = task->aim;
    const double numbers[] = {hyper->orientation_weight, hyper->posture_weight, hyper->threshold, hyper->aggravation,
                              hyper->disturbance, hyper->progress, hyper->ccd_error, hyper->ccd_precision, task->reach};
    size_t bytes = limber_erik_bytes(task->joints), n = bytes ? (size_t)task->joints : 0;
    if (!bytes || task->revolute < 1 || task->revolute > task->joints || task->max_views < 1 ||
        task->max_views > MOST_COUNT || !counts_fit(hyper) || hyper->disturbance < 0.0 || !task->workspace ||
        ((uintptr_t)task->workspace & 15) || task->workspace_bytes < bytes || !task->links || !task->turning ||
        !task->joint_models || !task->posture || !task->angles || !task->aim)
        return LIMBER_SIZE;
    if (!is_within(numbers, sizeof numbers / sizeof *numbers, LARGEST) ||
        !is_within((const double *)&task->to_virtual, 4, 2.0) || !is_within(aim->orientation, 4, 2.0) ||
        !is_within(aim->view, 3, LARGEST) || !is_within(aim->up, 3, 2.0) || !is_within(&aim->parts, 1, LIMBER_ALL_PARTS) ||
        !is_within(task->posture, n, LARGEST_ANGLE) || (task->previous && !is_within(task->previous, n, FARTHEST)))
        return LIMBER_NOT_FINITE;
    int kind = (int)aim->parts & ~(LIMBER_UPRIGHT | LIMBER_LEVEL);
    if (kind != LIMBER_ORIENTATION && kind != LIMBER_DIRECTION && kind != LIMBER_POINT) return LIMBER_GOAL;
    return check_chain(task);
}

static double clamped(const struct limber_link *link, double value) {
    return value < link->lower ? link->lower : value > link->upper ? link->upper : value;
}

/* The angle [rad] plus the full rotations that bring it nearest to `desired` [rad] within the joint's
   limits. */
static double unwound(const struct limber_link *link, double angle, double desired) {
    double turns = rint((clamped(link, desired) - angle) / TAU), turned = angle + turns * TAU;
    /* the nearest such angle may be beyond a limit */
    if (turns != 0.0 && !(link->lower <= turned && turned <= link->upper))
        turned = angle + (turns > 0.0 ? turns - 1.0 : turns + 1.0) * TAU;
    return turned;
}

/* Writes ERIK's angles (n,) for an orientation of the tool, or, if `tool_target` is NULL, for its view;
   `previous` (n,) may be NULL. */
static int towards(struct solver *solver, const Quaternion *tool_target, Vector view, const double *previous,
                   double *angles) {
    const struct limber_erik *task = solver->task;
    int symmetric = task->aim->symmetric != 0.0 && task->hyper.symmetric_endpoint;
    struct end_aim aim = {rotate(task->to_virtual, view), IDENTITY, 0, symmetric};
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
    for (int k = 0; k < task->joints; k++) angles[k] = clamped(&task->links[k], task->posture[k]);
    for (int i = 0; i < task->revolute; i++) {
        int k = task->turning[i];
        angles[k] = unwound(&task->links[k], solver->erik.best[i], solver->posture[i]);
    }
    return 1;
}

static void keep_answer(const struct solver *solver, struct limber_erik *task, const double *angles) {
    memcpy(task->angles, angles, sizeof *angles * (size_t)task->joints);
    task->posture_error = solver->erik.posture_error;
}

/* The tool at angles (n,). Source: solvers/kinematics/skeleton.py. */
static struct tool tool_at(const struct limber_erik *task, const double *angles) {
    struct tool tool = {IDENTITY, {0.0, 0.0, 0.0}};
    for (int k = 0; k <= task->joints; k++) {
        const struct limber_link *link = &task->links[k];
        tool.position = add(tool.position, rotate(tool.rotation, link->offset));
        tool.rotation = multiply(tool.rotation, link->rest);
        if (k == task->joints) break;
        if (link->is_prismatic != 0.0)
            tool.position = add(tool.position, rotate(tool.rotation, scale(link->axis, angles[k])));
        else
            tool.rotation = multiply(tool.rotation, about(link->axis, angles[k]));
    }
    return tool;
}

/* Writes ERIK's angles (n,) for a view, a unit vector; upright if the aim prescribes it and the view is
   not along `up`. */
static int along(struct solver *solver, Vector view, const double *previous, double *angles) {
    const struct limber_aim *aim = solver->task->aim;
    Quaternion target;
    int has_target = ((int)aim->parts & LIMBER_UPRIGHT) && upright(view, vector_of(aim->up), &target);
    return towards(solver, has_target ? &target : NULL, view, previous, angles);
}

/* Solves for the view of a point repeatedly, each time from the end's position in the solution before.
 * Each solve after the first starts from the best solution so far. A view that increases the error is
 * discarded, and a smaller step is made. */
static int seen(struct solver *solver, struct limber_erik *task) {
    double best_error = INFINITY, share = 1.0;
    const double *previous = task->previous, *start = previous ? previous : task->posture;
    for (int k = 0; k < task->joints; k++) solver->angles[k] = clamped(&task->links[k], start[k]);
    struct tool tool = tool_at(task, solver->angles);
    Vector point = vector_of(task->aim->view), gap = subtract(point, tool.position);
    Vector view = length(gap) > NO_DIRECTION ? unit(gap) : rotate(tool.rotation, Y), best_view = view, best_seen = view;
    int iterations = 0;
    for (int i = 0; i < task->max_views; i++) {
        if (!along(solver, view, previous, solver->angles)) return 0;
        iterations += solver->erik.iterations;
        tool = tool_at(task, solver->angles);
        gap = subtract(point, tool.position);
        double error = vector_angle(gap, rotate(tool.rotation, Y));
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
    if (!task) return LIMBER_SIZE;
    int32_t wrong = check_task(task);
    if (wrong) return wrong;
    struct solver solver = {.task = task};
    laid_out(&solver, task->workspace, (size_t)task->joints);
    solver.erik.chain = (struct chain){task->revolute, task->joint_models};
    solver.erik.hyper = &task->hyper;
    const struct limber_aim *aim = task->aim;
    int is_solved, parts = (int)aim->parts;
    if (parts & LIMBER_POINT) {
        is_solved = seen(&solver, task);
    } else {
        Quaternion orientation = quaternion_of(aim->orientation);
        is_solved = parts & LIMBER_ORIENTATION ? towards(&solver, &orientation, Y, task->previous, solver.angles)
                                               : along(&solver, vector_of(aim->view), task->previous, solver.angles);
        if (is_solved) keep_answer(&solver, task, solver.angles);
        task->iterations = solver.erik.iterations;
    }
    if (!is_solved) return LIMBER_NOT_FINITE;
    struct tool tool = tool_at(task, task->angles);
    task->end_error = end_error(aim, tool.rotation, tool.position, task->reach);
    return LIMBER_OK;
}
