/* One frame from the last frame's angles: a local step, or one of a transition. Source: solvers/expressive/tracking.py. */
#include <string.h>

#include "branches.h"
#include "descent.h"
#include "motion.h"
#include "tolerances.h"
#include "tree.h"
#include "vectors.h"

/* constants of solvers/expressive/tracking.py, explained there; PULL_TIME [s], STILL [rad] */
#define PULL_TIME (1.0 / 60.0)
#define LOCAL_STEPS 3
#define ENOUGH (3.0 * DEGREES)
#define AT_RISK (0.2 * DEGREES)
#define STILL MET
#define LEAST_PROGRESS 0.1

/* Bounds (n,) within the joint limits, the acceleration limit and a share of the speed limit. */
static void within_acceleration(const struct model *model, const struct limber_frame *frame, double acceleration,
                                double share, double *lower, double *upper) {
    double dt = frame->dt;
    for (int i = 0; i < model->joints; i++) {
        double scale = model->joint[i].scale, start = frame->start[i], room = SPEED * dt * scale;
        double low = larger(model->joint[i].lower, start - room), high = smaller(model->joint[i].upper, start + room);
        double middle = start + frame->velocity[i] * dt, gain = acceleration * dt * dt * scale;
        double slowest = middle - gain, fastest = middle + gain;
        if (share < 1.0) {
            double least = larger(model->joint[i].lower, start - share * room);
            double most = smaller(model->joint[i].upper, start + share * room);
            low = larger(low, smaller(least, fastest)), high = smaller(high, larger(most, slowest));
        }
        lower[i] = smaller(larger(low, slowest), high), upper[i] = larger(smaller(high, fastest), low);
    }
}

/* Moves `desired` (n,) to where each joint can still come to rest at it under the acceleration limit. */
static void brake(const struct model *model, const struct limber_frame *frame, const double *lower,
                  const double *upper, double *desired) {
    double dt = frame->dt;
    for (int i = 0; i < model->joints; i++) {
        double acceleration = ACCELERATION * model->joint[i].scale, away = desired[i] - frame->start[i];
        double size = fabs(away);
        int goes_on = fabs(away - frame->velocity[i] * dt) <= acceleration * dt * dt;
        if (!goes_on) away = copysign(smaller(size, dt * braking_speed(size, acceleration, dt)), away);
        desired[i] = clamped(frame->start[i] + away, lower[i], upper[i]);
    }
}

/* Writes the nearest angles to `desired` (n,) within bounds that hold the aim, which are the evaluated
 * pose; joints accelerate more if it would be lost, or lost by more, otherwise. Returns the number of
 * steps. */
static int hold_or_hurry(struct work *work, const struct limber_frame *frame, const double *desired,
                         const double *lower, const double *upper, double *out) {
    int steps = hold(work, desired, lower, upper, out);
    if (work->pose.size <= AT_RISK) return steps;
    double most = larger(SEEN, work->pose.size - AT_RISK); /* a smaller improvement would be invisible */
    within_acceleration(work->model, frame, HURRIED, frame->trust, work->lower, work->upper);
    int faster = hold(work, desired, work->lower, work->upper, work->toward);
    if (work->pose.size < most) {
        memcpy(out, work->toward, sizeof *out * (size_t)work->n);
        return faster;
    }
    evaluate(work, out, 0.0);
    return steps;
}

/* Writes angles (n,) after steps toward the local optimum, without acceleration limits; returns the number of steps. */
static int local_steps(struct work *work, const struct limber_frame *frame, double *angles) {
    int n = work->n, steps = 0;
    double inertia = frame->damping * PULL_TIME / frame->dt;
    within_speed(work->model, frame->start, frame->dt, frame->trust, work->lower, work->upper);
    for (int i = 0; i < n; i++)
        angles[i] = clamped(frame->start[i] + frame->velocity[i] * frame->dt, work->lower[i], work->upper[i]);
    struct step_goal goal = {work->toward, 1.0, 1.0, inertia, work->lower, work->upper};
    for (;;) {
        double farthest = 0.0;
        memcpy(work->previous, angles, sizeof *angles * (size_t)n);
        for (int i = 0; i < n; i++) work->toward[i] = frame->start[i] - angles[i];
        evaluate(work, angles, 0.0);
        guided(work, angles, &goal, PASSES, angles);
        steps++;
        for (int i = 0; i < n; i++) farthest = larger(farthest, fabs(angles[i] - work->previous[i]));
        if (steps == LOCAL_STEPS || farthest <= ENOUGH) return steps;
    }
}

/* LIMBER_OK, or the code of the first error in a frame. */
static int32_t check_frame(const struct work *work, const struct limber_frame *frame) {
    size_t n = (size_t)work->n;
    const double numbers[] = {frame->dt, frame->trust, frame->damping, frame->speed};
    if (!is_within(numbers, 4, LARGEST) || !is_within(frame->start, n, FARTHEST) ||
        !is_within(frame->velocity, n, LARGEST) || !is_within(frame->branch, n, FARTHEST))
        return LIMBER_NOT_FINITE;
    return frame->dt >= SHORTEST_FRAME && frame->dt <= LONGEST_FRAME ? LIMBER_OK : LIMBER_SIZE;
}

/* Writes the result of a frame from the evaluated pose. */
static void finish(const struct work *work, struct limber_frame *frame, int steps) {
    frame->aim_error = work->pose.size, frame->merit = merit_of(work), frame->steps = steps;
    write_end_errors(work, frame->errors);
}

int32_t limber_local_frame(const struct limber_problem *problem, struct limber_frame *frame) {
    struct work work;
    int32_t wrong = begin(problem, 1, &work);
    if (!wrong) wrong = check_frame(&work, frame);
    if (wrong) return wrong;
    double *desired = work.spare, *lower = work.angles, *upper = work.others;
    int steps = local_steps(&work, frame, desired);
    within_acceleration(work.model, frame, ACCELERATION, frame->trust, lower, upper);
    brake(work.model, frame, lower, upper, desired);
    steps += hold_or_hurry(&work, frame, desired, lower, upper, frame->angles);
    finish(&work, frame, steps);
    return LIMBER_OK;
}

int32_t limber_transition_frame(const struct limber_problem *problem, struct limber_frame *frame) {
    struct work work;
    int32_t wrong = begin(problem, 1, &work);
    if (!wrong) wrong = check_frame(&work, frame);
    if (wrong) return wrong;
    const struct model *model = work.model;
    int n = work.n, is_straight = frame->kind == LIMBER_STRAIGHT, steps = 1;
    double dt = frame->dt, *lower = work.angles, *upper = work.others, *desired = work.spare, none = 0.0;
    within_speed(model, frame->branch, dt, 1.0, lower, upper);
    evaluate(&work, frame->branch, 0.0);
    move_along(&work, frame->branch, LIMBER_STAY, frame->branch, &none, dt, dt, lower, upper, frame->branch);
    within_acceleration(model, frame, is_straight ? HURRIED : ACCELERATION, 1.0, lower, upper);
    evaluate(&work, frame->start, 0.0);
    move_along(&work, frame->start, frame->kind, frame->branch, &frame->speed, dt, dt, lower, upper, desired);
    if (is_straight) {
        memcpy(frame->angles, desired, sizeof *desired * (size_t)n);
        evaluate(&work, desired, 0.0);
    } else {
        steps += hold_or_hurry(&work, frame, desired, lower, upper, frame->angles);
    }
    double before = farthest_joint(model, frame->branch, frame->start);
    double left = farthest_joint(model, frame->branch, frame->angles);
    double travel = farthest_joint(model, frame->angles, frame->start);
    /* The aim or a joint's limit blocks the transition; if the goal moves, the path can become free. */
    int is_stuck = travel < STILL || (frame->is_still && before - left < LEAST_PROGRESS * frame->speed * dt);
    if (is_stuck || left < ARRIVAL_DISTANCE) frame->kind = LIMBER_STAY, frame->speed = 0.0;
    finish(&work, frame, steps);
    return LIMBER_OK;
}
