/* Limits of motion from frame to frame, and the steps of transitions. Source: solvers/expressive/motion.py. */
#ifndef LIMBER_MOTION_H
#define LIMBER_MOTION_H

#include "descent.h"
#include "tolerances.h"

#define SPEED (480.0 * DEGREES)          /* [rad/s] largest speed of a joint (solvers/gaze.py) */
#define ACCELERATION (7560.0 * DEGREES)  /* [rad/s^2] usual limit of a joint */
#define HURRIED (28800.0 * DEGREES)      /* [rad/s^2] limit if the aim would be lost otherwise */
#define ARRIVAL_DISTANCE (5.0 * DEGREES) /* [rad] distance of the farthest joint below which a transition ends */

/* Largest speed [rad/s] from which a joint comes to rest within a distance [rad], in steps of `dt` [s]. */
double braking_speed(double distance, double acceleration, double dt);

/* Bounds (n,) on angles after a time [s], within the joint limits and a fraction of the speed limit. */
void within_speed(const struct model *model, const double *angles, double time, double share, double *lower,
                  double *upper);

/* Angles (n,) after one step of a path of the evaluated pose, which is that of `angles`, toward a branch (n,), within
 * the bounds `lower` and `upper` (n,); also updates `speed`, the speed of the path. `time` [s] is the duration of the
 * step, `dt` [s] that of a frame. */
void move_along(struct work *work, const double *angles, int kind, const double *branch, double *speed, double time,
                double dt, const double *lower, const double *upper, double *out);

#endif
