/* Forward kinematics of a tree of revolute and prismatic joints, and the velocities of points that joints
 * cause.
 *
 * Source of the formulas: solvers/kinematics/tree.py.
 */
#ifndef LIMBER_TREE_H
#define LIMBER_TREE_H

#include "model.h"

/* Frame (12) of a joint after its own motion and its axis (3), from that of its parent, NULL if the parent
   is the base. */
void joint_frame(const struct joint *restrict joint, double value, const double *restrict parent,
                 double *restrict frame, double *restrict axis);

/* Frame (12) of a ball joint after its own rotation (9), from that of its parent, NULL if the parent is
   the base. */
void ball_frame(const struct joint *joint, const double *rotation, const double *parent, double *frame);

/* Frames (n, 12) of the joints after their own motion and their axes (n, 3), in the base, at `angles` (n,). */
void forward(const struct model *model, const double *angles, double *frames, double *axes);

/* Frame (12) of an end. */
void end_frame(const struct model *model, const double *frames, int end, double *frame);

/* Linear velocity (3) that a unit speed of joint `j` gives to a point (3) on the links that it moves. */
void velocity_of(const struct model *model, const double *frames, const double *axes, int j, const double *point,
                 double *velocity);

#endif
