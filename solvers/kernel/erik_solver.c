/* ERIK on a skeleton: converts its goal to the virtual chain, and the solution back. Source:
   solvers/erik/solver.py. */
#include <string.h>

#include "erik.h"
#include "look.h"
#include "model.h"

#define MARK UINT64_C(0x6c696d6265724552) /* "limberER" in ASCII: marks a prepared model */
#define MOST_COUNT 1000     /* largest number of iterations, sweeps and views; larger ones are refused */
#define LARGEST_ANGLE 1e300 /* largest angle [rad] of an authored posture, which can be many rotations away */

/* A chain, prepared once, with the arrays of a solve. */
struct solver {
    uint64_t mark;
    const void *self; /* address at which it was prepared */
    struct erik erik;
    Quaternion to_virtual;
    struct limber_link *links; /* (n + 1,) */
    int32_t *turning;          /* (revolute,) */
    JointModel *models;        /* (revolute,) */
    int joints, max_views;
    double reach;
    double *posture, *previous; /* (revolute,) angles of the virtual chain */
    double *angles;             /* (n,) [rad or m] angles of the last solve */
    double posture_error;       /* the paper's, weighted, of the best solve */
};

/* The tool's pose at some angles. */
struct tool {
    Quaternion rotation;
    Vector position;
};

/* Takes the arrays from `memory`; returns their size [bytes], also if `memory` is NULL. */
static size_t laid_out(struct solver *solver, char *memory, const struct limber_chain *chain) {
    struct pieces pieces = {memory, 0};
    size_t n = (size_t)chain->joints, revolute = (size_t)chain->revolute;
    take(&pieces, 1, sizeof *solver);
    solver->links = take(&pieces, n + 1, sizeof *solver->links);
    solver->turning = take(&pieces, revolute, sizeof *solver->turning);
    solver->models = take(&pieces, revolute, sizeof *solver->models);
    solver->posture = take(&pieces, revolute, sizeof(double));
    solver->previous = take(&pieces, revolute, sizeof(double));
    solver->angles = take(&pieces, n, sizeof(double));
    return pieces.bytes + erik_laid_out(&solver->erik, memory ? memory + pieces.bytes : NULL, revolute);
}

static int sizes_fit(const struct limber_chain *chain) {
    return chain && chain->links && chain->turning && chain->joint_models && chain->joints >= 1 &&
           chain->joints <= MOST_JOINTS && chain->revolute >= 1 && chain->revolute <= chain->joints;
}

size_t limber_erik_bytes(const struct limber_chain *chain) {
    struct solver solver;
    return sizes_fit(chain) ? laid_out(&solver, NULL, chain) : 0;
}

static int settings_fit(const struct limber_chain *chain) {
    const Hyperparameters *hyper = &chain->hyper;
    const int32_t counts[] = {hyper->max_iterations, hyper->max_bwcd_iterations, hyper->max_ccd_iterations,
                              hyper->avoid_edges_from_iteration, chain->max_views};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] < 1 || counts[i] > MOST_COUNT) return 0;
    return hyper->disturbance >= 0.0;
}

/* LIMBER_OK, or the code of the first error in the input. */
static int32_t checked(const struct limber_chain *chain) {
    const Hyperparameters *hyper = &chain->hyper;
    const double numbers[] = {hyper->orientation_weight, hyper->posture_weight, hyper->threshold, hyper->aggravation,
                              hyper->disturbance, hyper->progress, hyper->ccd_error, hyper->ccd_precision, chain->reach};
    size_t links = (size_t)chain->joints + 1, revolute = (size_t)chain->revolute;
    if (!is_within(numbers, sizeof numbers / sizeof *numbers, LARGEST) ||
        !is_within((const double *)&chain->to_virtual, 4, 2.0) ||
        !is_within((const double *)chain->links, links * sizeof *chain->links / sizeof(double), LARGEST) ||
        !is_within((const double *)chain->joint_models, revolute * sizeof *chain->joint_models / sizeof(double),
                   FARTHEST))
        return LIMBER_NOT_FINITE;
    if (!settings_fit(chain)) return LIMBER_SIZE;
    for (int k = 0; k < chain->joints; k++)
        if (!(-FARTHEST <= chain->links[k].lower && chain->links[k].lower <= chain->links[k].upper &&
              chain->links[k].upper <= FARTHEST))
            return LIMBER_JOINT;
    for (int i = 0; i < chain->revolute; i++) {
        const JointModel *model = &chain->joint_models[i];
        if (chain->turning[i] < (i ? chain->turning[i - 1] + 1 : 0) || chain->turning[i] >= chain->joints ||
            model->lower > model->upper || (model->has_latitude != 0.0 && model->swing <= 0.0))
            return LIMBER_JOINT;
    }
    return LIMBER_OK;
}

int32_t limber_erik(void *memory, size_t bytes, const struct limber_chain *chain) {
    struct solver *solver = memory;
    if (!memory || ((uintptr_t)memory & (ALIGNMENT - 1)) || !sizes_fit(chain) || bytes < limber_erik_bytes(chain))
        return LIMBER_SIZE;
    int32_t error = checked(chain);
    if (error) return error;
    size_t revolute = (size_t)chain->revolute;
    memset(solver, 0, sizeof *solver);
    laid_out(solver, memory, chain);
    solver->self = memory;
    solver->to_virtual = chain->to_virtual, solver->reach = chain->reach;
    solver->joints = chain->joints, solver->max_views = chain->max_views;
    memcpy(solver->links, chain->links, sizeof *solver->links * ((size_t)chain->joints + 1));
    memcpy(solver->turning, chain->turning, sizeof *solver->turning * revolute);
    memcpy(solver->models, chain->joint_models, sizeof *solver->models * revolute);
    solver->erik.chain = (struct chain){chain->revolute, solver->models};
    solver->erik.hyper = chain->hyper;
    prepare_erik(&solver->erik);
    solver->mark = MARK;
    return LIMBER_OK;
}

/* The prepared chain in this memory; NULL if the memory holds none. */
static struct solver *solver_in(void *memory) {
    struct solver *solver = memory;
    if (!memory || ((uintptr_t)memory & (ALIGNMENT - 1)) || solver->mark != MARK || solver->self != memory) return NULL;
    return solver;
}

static int32_t checked_task(const struct solver *solver, const struct limber_erik_solve *task) {
    const struct limber_aim *aim = task->aim;
    size_t n = (size_t)solver->joints;
    if (!task->posture || !task->angles || !aim) return LIMBER_SIZE;
    if (!is_within(aim->orientation, 4, 2.0) || !is_within(aim->view, 3, LARGEST) || !is_within(aim->up, 3, 2.0) ||
        !is_within(&aim->parts, 1, LIMBER_ALL_PARTS) || !is_within(task->posture, n, LARGEST_ANGLE) ||
        (task->previous && !is_within(task->previous, n, FARTHEST)))
        return LIMBER_NOT_FINITE;
    int kind = (int)aim->parts & ~(LIMBER_UPRIGHT | LIMBER_LEVEL);
    return kind == LIMBER_ORIENTATION || kind == LIMBER_DIRECTION || kind == LIMBER_POINT ? LIMBER_OK : LIMBER_GOAL;
}

static double clamped(const struct limber_link *link, double value) {
    return value < link->lower ? link->lower : value > link->upper ? link->upper : value;
}

/* The angle [rad] plus the full rotations that bring it nearest to `desired` [rad] within the joint's
   limits. */
static double unwound(const struct limber_link *link, double angle, double desired) {
    double turns = rint((clamped(link, desired) - angle) / TAU), turned = angle + turns * TAU;
    /* the nearest such angle can be beyond a limit */
    if (turns != 0.0 && !(link->lower <= turned && turned <= link->upper))
        turned = angle + (turns > 0.0 ? turns - 1.0 : turns + 1.0) * TAU;
    return turned;
}

/* Writes ERIK's angles (n,) for an orientation of the tool, or, if `tool_target` is NULL, for its view;
   `previous` (n,) may be NULL. */
static int towards(struct solver *solver, const struct limber_erik_solve *task, const Quaternion *tool_target,
                   Vector view, const double *previous) {
    struct erik *erik = &solver->erik;
    int revolute = erik->chain.count, symmetric = task->aim->symmetric != 0.0 && erik->hyper.symmetric_endpoint;
    struct end_aim aim = {rotate(solver->to_virtual, view), IDENTITY, 0, symmetric};
    if (tool_target) {
        aim.orientation = multiply(solver->to_virtual, *tool_target), aim.has_orientation = 1;
        aim.direction = rotate(aim.orientation, Y);
    }
    for (int i = 0; i < revolute; i++) {
        solver->posture[i] = task->posture[solver->turning[i]];
        if (previous) solver->previous[i] = previous[solver->turning[i]];
    }
    if (!calculate_erik(erik, solver->posture, &aim, previous ? solver->previous : NULL)) return 0;
    const double *nearest = previous ? solver->previous : solver->posture;
    for (int k = 0; k < solver->joints; k++) solver->angles[k] = clamped(&solver->links[k], task->posture[k]);
    for (int i = 0; i < revolute; i++) {
        int k = solver->turning[i];
        solver->angles[k] = unwound(&solver->links[k], erik->best[i], nearest[i]);
    }
    return 1;
}

/* Copies the angles to the task, and stores their posture error. */
static void keep_answer(struct solver *solver, struct limber_erik_solve *task) {
    memcpy(task->angles, solver->angles, sizeof *solver->angles * (size_t)solver->joints);
    solver->posture_error = solver->erik.posture_error;
}

/* The tool at angles (n,). Source: solvers/kinematics/skeleton.py. */
static struct tool tool_at(const struct solver *solver, const double *angles) {
    struct tool tool = {IDENTITY, {0.0, 0.0, 0.0}};
    for (int k = 0; k <= solver->joints; k++) {
        const struct limber_link *link = &solver->links[k];
        tool.position = add(tool.position, rotate(tool.rotation, link->offset));
        tool.rotation = multiply(tool.rotation, link->rest);
        if (k == solver->joints) break;
        if (link->is_prismatic != 0.0)
            tool.position = add(tool.position, rotate(tool.rotation, scale(link->axis, angles[k])));
        else
            tool.rotation = multiply(tool.rotation, about(link->axis, angles[k]));
    }
    return tool;
}

/* Writes ERIK's angles (n,) for a view, a unit vector; upright if the aim prescribes it and the view is
   not along `up`. */
static int along(struct solver *solver, const struct limber_erik_solve *task, Vector view, const double *previous) {
    Quaternion target;
    int has_target = ((int)task->aim->parts & LIMBER_UPRIGHT) && upright(view, vector_of(task->aim->up), &target);
    return towards(solver, task, has_target ? &target : NULL, view, previous);
}

/* Solves for the view of a point repeatedly, each time from the end's position in the solution before.
 * Each solve after the first starts from the best solution so far. A view that increases the error is
 * discarded, and a smaller step is made. */
static int seen(struct solver *solver, struct limber_erik_solve *task) {
    double best_error = INFINITY, share = 1.0;
    const double *previous = task->previous, *start = previous ? previous : task->posture;
    for (int k = 0; k < solver->joints; k++) solver->angles[k] = clamped(&solver->links[k], start[k]);
    struct tool tool = tool_at(solver, solver->angles);
    Vector point = vector_of(task->aim->view), gap = subtract(point, tool.position);
    Vector view = length(gap) > NO_DIRECTION ? unit(gap) : rotate(tool.rotation, Y), best_view = view, best_seen = view;
    int iterations = 0;
    for (int i = 0; i < solver->max_views; i++) {
        if (!along(solver, task, view, previous)) return 0;
        iterations += solver->erik.iterations;
        tool = tool_at(solver, solver->angles);
        gap = subtract(point, tool.position);
        double error = vector_angle(gap, rotate(tool.rotation, Y));
        if (i == 0 || error < best_error) {
            keep_answer(solver, task);
            previous = task->angles;
            best_error = error, best_view = view;
            best_seen = length(gap) > NO_DIRECTION ? unit(gap) : view;
        } else {
            share *= 0.5;
        }
        if (best_error <= solver->erik.hyper.ccd_error) break;
        Vector part = add(best_view, scale(subtract(best_seen, best_view), share));
        view = length(part) > NO_DIRECTION ? unit(part) : best_seen;
    }
    task->iterations = iterations;
    return 1;
}

int32_t limber_erik_solve(struct limber_erik_solve *task) {
    if (!task) return LIMBER_SIZE;
    struct solver *solver = solver_in(task->erik);
    if (!solver) return LIMBER_MODEL;
    int32_t wrong = checked_task(solver, task);
    if (wrong) return wrong;
    const struct limber_aim *aim = task->aim;
    int is_solved, parts = (int)aim->parts;
    if (parts & LIMBER_POINT) {
        is_solved = seen(solver, task);
    } else {
        Quaternion orientation = quaternion_of(aim->orientation);
        is_solved = parts & LIMBER_ORIENTATION ? towards(solver, task, &orientation, Y, task->previous)
                                               : along(solver, task, vector_of(aim->view), task->previous);
        if (is_solved) keep_answer(solver, task);
        task->iterations = solver->erik.iterations;
    }
    if (!is_solved) return LIMBER_NOT_FINITE;
    /* where the aim is no point, the position does not matter */
    struct tool tool = {multiply(conjugate(solver->to_virtual), solver->erik.end), {0.0, 0.0, 0.0}};
    if (parts & LIMBER_POINT) tool = tool_at(solver, task->angles);
    task->end_error = end_error(aim, tool.rotation, tool.position, solver->reach);
    task->error = papers_error(task->end_error.whole) + solver->posture_error;
    return LIMBER_OK;
}
