/* Angles of three revolute joints about perpendicular axes at one position, from the rotation that they produce
 * together. Source: solvers/bones/ball_angles.py. */
#ifndef LIMBER_BALL_ANGLES_H
#define LIMBER_BALL_ANGLES_H

/* Rotation (9) of three joints about `axes` (3, 3; each row is an axis, the one nearest to the parent first) at angles
 * (3) [rad]. */
void ball_rotation(const double *axes, const double *angles, double *rotation);

/* Angles (3) [rad] of the joints that produce a rotation; of all solutions, the one nearest to `near` (3). */
void ball_angles(const double *axes, const double *rotation, const double *near, double *angles);

#endif
