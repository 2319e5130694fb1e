/* Angles of three revolute joints about perpendicular axes at one position, from the rotation that they make together.
 * Source: solvers/bones/ball_angles.py. */
#ifndef LIMBER_BALL_ANGLES_H
#define LIMBER_BALL_ANGLES_H

/* Rotation (9) of three joints about `axes` (3, 3; a row is an axis, nearest the parent first) at angles (3). */
void ball_rotation(const double *axes, const double *angles, double *rotation);

/* Angles (3) of the joints for a rotation; of all that make it, those nearest to `near` (3). */
void ball_angles(const double *axes, const double *rotation, const double *near, double *angles);

#endif
