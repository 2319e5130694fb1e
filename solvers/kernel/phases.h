/* ERIK's two phases: from the end, which holds the target, to the root, and back. Source: solvers/erik/phases.py. */
#ifndef LIMBER_PHASES_H
#define LIMBER_PHASES_H

#include "chain.h"

/* The links after the forward phase, as they hang from the target: their angles within limits, and their bases, which do
 * not follow from the angles. */
struct hung {
    struct joint_angle *joints; /* (n,) */
    Quaternion *bases;          /* (n + 1,) */
};

/* Forward phase (Algorithms 8 to 14), from the bases (n + 1,) of the warped posture and the end's orientation.
 * `edge_offset` [rad]: how far to stay off exact limits, 0: not at all. `end_from_target`: the end's basis is the target
 * without its own rotation; else, as printed, the posture's. */
void forward_phase(const struct chain *chain, const Quaternion *posture_bases, Quaternion target, double edge_offset,
                   int end_from_target, struct hung *hung);

/* Backward phase (Algorithms 15 to 18): the pose, within limits, from the result of the forward phase; `target` is the
 * end's orientation, NULL: its roll is free. */
void backward_phase(const struct chain *chain, const struct hung *hung, const Quaternion *target, int symmetric,
                    struct chain_pose *solved);

/* Angle of the twister at the end, within limits, that is nearest to the target or, for a symmetric end, to the target
 * rolled by pi; of two equally near ones that nearer to `before` [rad] (Algorithm 17). */
double end_twist(const JointModel *model, Quaternion basis, Quaternion target, int symmetric, double before);

#endif
