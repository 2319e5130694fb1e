/* The chain of virtual unit links that ERIK sees in a skeleton. Source: solvers/virtual_chain/chain.py. */
#ifndef LIMBER_CHAIN_H
#define LIMBER_CHAIN_H

#include "joint_model.h"

struct chain {
    int count;
    const JointModel *models; /* (count,) models of the joints, root first */
};

static inline int is_twister(const struct chain *chain, int k) { return chain->models[k].is_twister != 0.0; }

static inline int end_is_twister(const struct chain *chain) { return is_twister(chain, chain->count - 1); }

/* A configuration of the chain. The rotation of a joint is computed when its angle is set, and each basis when it is
 * needed: `bases` (n + 1,) are those of the links, then the end's frame after its rotation (eq. 18, 24). */
struct chain_pose {
    struct joint_angle *joints; /* (n,) */
    Quaternion *bases;          /* (n + 1,) world bases, of which those up to `known` are computed; the first is IDENTITY */
    int known;
};

/* Sets the angle [rad] of joint k; bases after it are computed again when they are needed. */
static inline void set_angle(const struct chain *chain, struct chain_pose *pose, int k, double angle) {
    pose->joints[k] = at_angle(&chain->models[k], angle);
    if (k < pose->known) pose->known = k;
}

/* All bases of a configuration. */
static inline const Quaternion *bases_of(const struct chain *chain, struct chain_pose *pose) {
    for (; pose->known < chain->count; pose->known++)
        pose->bases[pose->known + 1] = multiply(pose->bases[pose->known], pose->joints[pose->known].rotation);
    return pose->bases;
}

#endif
