/* What the kernel exports of the solver of characters' rigs: see limber.h for the conventions.
 *
 * Source of names and formulas: solvers/bones.
 */
#ifndef LIMBER_BONES_H
#define LIMBER_BONES_H

#include "limber.h"

/* One skeleton as bones: n coordinates, k bones of which b are balls, e ends. A ball is three coordinates in succession,
 * whose axes are X, Y and Z of its frame; what hangs on it has the last of them as its parent. */
struct limber_bones {
    int32_t joints, bones, ends;
    double reach;              /* [m] */
    const int32_t *parents;    /* (n,) -1: the base */
    const int32_t *prismatic;  /* (n,) */
    const double *rests;       /* (n, 12) frames in the parents', at zero */
    const double *axes;        /* (n, 3) unit, in the joints' frames */
    const double *lower;       /* (n,) may be infinite */
    const double *upper;       /* (n,) */
    const double *slides;      /* (n,) cost of a prismatic joint's squared displacement [1/m2]; 0 for others */
    const int32_t *bone_joints; /* (k, 3) coordinates of each bone in order, -1: fewer than three */
    const int32_t *is_ball;    /* (k,) */
    const double *bone_axes;   /* (k, 3, 3) of a ball: the axes of the revolute joints whose angles are its coordinates */
    const double *costs;       /* (k, 9) of a bone's squared rotation, in its own frame */
    const int32_t *end_joints; /* (e,) coordinate whose frame carries an end */
    const double *end_frames;  /* (e, 12) in it */
    const double *sizes;       /* (e,) [m] of what hangs on the bone of each end */
};

LIMBER_EXPORT size_t limber_bones_bytes(const struct limber_bones *bones);
LIMBER_EXPORT size_t limber_bones_workspace_bytes(const void *bones, int32_t aims);

/* Writes the model of a skeleton as bones to memory, which must not be moved afterwards. */
LIMBER_EXPORT int32_t limber_bones(void *memory, size_t bytes, const struct limber_bones *bones);

/* One solve: what is to be met, where steps may begin, and the result. A deviation (n + 9 b,) is that of a configuration
 * from its authored pose: displacements of the joints, then rotations of the balls. */
struct limber_bones_solve {
    const void *bones;
    void *workspace;              /* need not be kept between calls */
    size_t workspace_bytes;
    const struct limber_aim *aim; /* (aims,) */
    const double *reference;      /* (n,) joint values of the authored pose */
    double *deviation;            /* (n + 9 b,) of the last frame; afterwards of this one */
    const double *before;         /* (n + 9 b,) of the frame before it */
    double *forces;               /* (6 aims,) that held the last frame's aim; afterwards this one's */
    double *angles;               /* (n,) result */
    struct limber_end_error *errors; /* (aims,) of the result */
    double cost;                  /* result: of rotations, rolls and distances */
    double missed;                /* result: size of the aim error that is left */
    double jump;                  /* aim error from which on steps do not begin where the last frames lead */
    int32_t aims;
    int32_t has_last, has_before; /* whether the last frame's deviation is known, and that before it */
    int32_t rows;                 /* of the last frame's aim; afterwards of this one */
    int32_t goes_on;              /* result: whether steps began where the last frames lead */
    int32_t steps;                /* result */
};

LIMBER_EXPORT int32_t limber_bones_solve(struct limber_bones_solve *task);

/* The first step (n,) of a solve, with so much damping, and where it begins: the matrix (n, n), lower triangle, and the
 * descent (n,) of its cost; `values` (2,) are this cost, and the size of the aim error. */
LIMBER_EXPORT int32_t limber_bones_step(const struct limber_bones_solve *task, double damping, double *step,
                                        double *matrix, double *descent, double *values);

#endif
