/* Coordinate descent of ERIK: BWCD from the root, CCD from the end. Source: solvers/erik/coordinate_descent.py. */
#ifndef LIMBER_COORDINATE_DESCENT_H
#define LIMBER_COORDINATE_DESCENT_H

#include "chain.h"

typedef struct limber_hyperparameters Hyperparameters;

/* Desired direction or orientation of the end. */
struct end_aim {
    Vector direction;       /* desired direction of the end's +Y */
    Quaternion orientation; /* desired orientation of the end */
    int has_orientation;    /* whether the orientation is prescribed; 0: the roll is free */
    int symmetric;          /* whether the end may be rolled by pi */
};

/* The desired orientation; of a symmetric end the roll nearer to `end`. */
static inline Quaternion nearest(const struct end_aim *aim, Quaternion end) {
    return nearer_roll(aim->orientation, end, aim->symmetric);
}

/* Algorithm 19, in place: the posture's pose after rotating joints until the end looks along the target; limits are not
 * enforced. */
void bwcd_posture(const struct chain *chain, struct chain_pose *pose, const struct end_aim *aim,
                  const Hyperparameters *hyper);

/* Algorithm 21, in place: angles within limits after rotating joints from the root until the end looks along the target,
 * and then twisting the end; of two end twists of equal error the one nearer to `before` [rad]. */
void bwcd_solution(const struct chain *chain, struct chain_pose *pose, const struct end_aim *aim,
                   const Hyperparameters *hyper, double before);

/* Algorithm 22, in place: angles within limits after rotating joints from the end toward the root, and then twisting the
 * end. With `avoid_edges` the rotated joints are not exactly at a limit. */
void ccd(const struct chain *chain, struct chain_pose *pose, const struct end_aim *aim, const Hyperparameters *hyper);

#endif
