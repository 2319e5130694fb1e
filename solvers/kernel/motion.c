#include "motion.h"

#include "branches.h"
#include "vectors.h"

#define BRANCH_INERTIA 0.1 /* weight of the squared movement of branches, which converge freely */

double braking_speed(double distance, double acceleration, double dt) {
    double gain = acceleration * dt;
    return larger(gain, sqrt(2.0 * acceleration * distance) - 0.5 * gain);
}

void within_speed(const struct model *model, const double *angles, double time, double share, double *lower,
                  double *upper) {
    for (int i = 0; i < model->joints; i++) {
        double room = share * SPEED * time * model->joint[i].scale;
        lower[i] = larger(model->joint[i].lower, angles[i] - room);
        upper[i] = smaller(model->joint[i].upper, angles[i] + room);
    }
}

void move_along(struct work *work, const double *angles, int kind, const double *branch, double *speed, double time,
                double dt, const double *lower, const double *upper, double *out) {
    const struct model *model = work->model;
    int n = work->n, is_moving = kind == LIMBER_WITH_AIM || kind == LIMBER_STRAIGHT;
    double share = 0.0, acceleration = kind == LIMBER_STRAIGHT ? HURRIED : ACCELERATION, fastest = 0.0;
    if (is_moving) {
        double left = larger(farthest_joint(model, branch, angles), ARRIVAL_DISTANCE);
        fastest = smaller(model->transition_speed, braking_speed(left, acceleration, dt));
        double travel = time * smaller(fastest, *speed + 0.5 * (time + dt) * acceleration);
        share = smaller(1.0, travel / left);
    }
    for (int i = 0; i < n; i++) work->toward[i] = is_moving ? share * (branch[i] - angles[i]) : 0.0;
    *speed = is_moving ? smaller(fastest, *speed + time * acceleration) : 0.0;
    struct step_goal goal = {work->toward, is_moving ? 0.0 : 1.0, kind == LIMBER_STRAIGHT ? 0.0 : 1.0,
                             kind == LIMBER_FOLLOW ? BRANCH_INERTIA : 1.0, lower, upper};
    guided(work, angles, &goal, PASSES, out);
}
