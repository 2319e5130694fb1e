/* Exports of the kernel's solver for character rigs; see limber.h for the conventions.
 *
 * Source of names and formulas: solvers/bones.
 */
#ifndef LIMBER_BONES_H
#define LIMBER_BONES_H

#include "limber.h"

/* One skeleton as bones: n coordinates, k bones of which b are balls, e ends. A ball is three coordinates
 * in succession, whose axes are X, Y and Z of its frame; joints that a ball carries have the last of the
 * three as their parent. */
struct limber_bones {
    int32_t joints, bones, ends;
    double reach;              /* [m] reach of the skeleton */
    const int32_t *parents;    /* (n,) index of each joint's parent; -1: the base */
    const int32_t *prismatic;  /* (n,) 1 for a prismatic joint, 0 for a revolute one */
    const double *rests;       /* (n, 12) frames in the parents' frames, at zero */
    const double *axes;        /* (n, 3) unit vectors in the joints' frames */
    const double *lower;       /* (n,) lower limits [rad or m], possibly infinite */
    const double *upper;       /* (n,) upper limits [rad or m], possibly infinite */
    const double *slides;      /* (n,) cost of a prismatic joint's squared displacement [1/m2]; 0 for others */
    const int32_t *bone_joints; /* (k, 3) coordinates of each bone in order; -1 fills up bones with fewer than three */
    const int32_t *is_ball;    /* (k,) 1 if the bone is a ball, 0 if not */
    const double *bone_axes;   /* (k, 3, 3) of a ball: the axes of the revolute joints whose angles are its coordinates */
    const double *costs;       /* (k, 9) cost (3, 3) of a bone's squared rotation, in its own frame */
    const int32_t *end_joints; /* (e,) coordinate whose frame carries an end */
    const double *end_frames;  /* (e, 12) frame of each end in that coordinate's frame */
    const double *sizes;       /* (e,) [m] size of everything that the bone of each end carries */
};

LIMBER_EXPORT size_t limber_bones_bytes(const struct limber_bones *bones);
LIMBER_EXPORT size_t limber_bones_workspace_bytes(const void *bones, int32_t aims);

/* Writes the model of a skeleton as bones to memory, which must not be moved afterwards. */
LIMBER_EXPORT int32_t limber_bones(void *memory, size_t bytes, const struct limber_bones *bones);

/* One solve: the goal, the memory of the last frames, and the result. A deviation (n + 9 b,) of a
 * configuration from its authored pose consists of displacements of the joints, then rotations of the
 * balls. */
struct limber_bones_solve {
    const void *bones;
    void *workspace;              /* scratch memory, not kept between calls */
    size_t workspace_bytes;
    const struct limber_aim *aim; /* (aims,) aims of the ends */
    const double *reference;      /* (n,) joint values of the authored pose */
    double *deviation;            /* (n + 9 b,) deviation of the last frame; afterwards of this frame */
    const double *before;         /* (n + 9 b,) deviation of the frame before the last one */
    double *forces;               /* (6 aims,) forces that held the last frame's aim; afterwards those of this frame */
    double *angles;               /* (n,) result: joint values [rad or m] */
    struct limber_end_error *errors; /* (aims,) errors of the result */
    double cost;                  /* result: cost of rotations, rolls and distances */
    double missed;                /* result: size of the remaining aim error */
    double jump;                  /* aim error [rad] from which on steps do not begin at the last frames' extrapolation */
    int32_t aims;
    int32_t has_last, has_before; /* whether the deviations of the last frame and of the one before it are known */
    int32_t rows;                 /* number of rows of the last frame's aim; afterwards of this frame's */
    int32_t goes_on;              /* result: whether steps started from the last frames' extrapolation */
    int32_t steps;                /* result: number of steps */
};

LIMBER_EXPORT int32_t limber_bones_solve(struct limber_bones_solve *task);

/* The first step (n,) of a solve with this damping, and the cost at its start: `matrix` (n, n), lower
 * triangle, is the cost's Gauss-Newton Hessian, `descent` (n,) its negative gradient; `values` (2,) are
 * the cost and the size of the aim error. */
LIMBER_EXPORT int32_t limber_bones_step(const struct limber_bones_solve *task, double damping, double *step,
                                        double *matrix, double *descent, double *values);

#endif
