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

/* World bases (n + 1,) for angles (n,): of the links, then the end's frame after its rotation (eq. 18, 24). */
static inline void bases_of(const struct chain *chain, const double *angles, Quaternion *bases) {
    bases[0] = IDENTITY;
    for (int k = 0; k < chain->count; k++) bases[k + 1] = multiply(bases[k], rotation(&chain->models[k], angles[k]));
}

/* The bases of one configuration, computed when they are needed. */
struct chain_pose {
    Quaternion *bases; /* (n + 1,) */
    int is_known;      /* whether `bases` are those of the configuration; whoever changes the angles resets it */
};

static inline const Quaternion *known_bases(const struct chain *chain, const double *angles, struct chain_pose *pose) {
    if (!pose->is_known) bases_of(chain, angles, pose->bases);
    pose->is_known = 1;
    return pose->bases;
}

#endif
