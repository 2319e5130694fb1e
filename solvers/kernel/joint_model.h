/* ERIK's joint model: which angle points a joint's segment at a target, within its limits (section 3.4).
 *
 * Source: solvers/virtual_chain/joint_model.py, which also computes the numbers of a model.
 */
#ifndef LIMBER_JOINT_MODEL_H
#define LIMBER_JOINT_MODEL_H

#include "rotations.h"

typedef struct limber_joint_model JointModel;

/* Angles [rad] within limits at which the segment has the target's latitude (eq. 16): in the target's hemisphere, and in
 * the other (Algorithm 13); `other` may be NULL. */
void local_swing(const JointModel *model, Vector target, double *angle, double *other);

/* Whether there is a second angle within limits at which the segment has the same latitude, and that angle. */
int opposite(const JointModel *model, double angle, double *second);

/* Whether a multiple of 2 pi brings an angle within limits, and that angle. */
int within(const JointModel *model, double angle, double *safe);

/* The angle within limits, else the limit nearest on the circle (SafeAngle of section 7.1, cycling). */
double safe_angle(const JointModel *model, double angle);

/* A twist within limits (Algorithm 12): outside of them it is rotated by half a revolution, then clamped. */
double safe_twist(const JointModel *model, double angle);

/* An angle at a limit, moved inwards by `offset` [rad] (AvoidJointEdge of section 7.1). */
double off_edge(const JointModel *model, double angle, double offset);

/* An angle [rad] of a joint, and the joint's rotation by it (the local transform L of eq. 18a). */
struct joint_angle {
    double angle;
    Quaternion rotation;
};

/* The joint at an angle [rad]. */
static inline struct joint_angle at_angle(const JointModel *model, double angle) {
    return (struct joint_angle){angle, about(model->axis, angle)};
}

#endif
