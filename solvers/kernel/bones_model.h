/* One skeleton as bones, prepared once. Source: solvers/bones/model.py. */
#ifndef LIMBER_BONES_MODEL_H
#define LIMBER_BONES_MODEL_H

#include "bones.h"
#include "model.h"

#define MOST_OF_A_BONE 3 /* joints */

/* Joints of one bone. */
struct bone {
    int joint[MOST_OF_A_BONE]; /* coordinates, nearest the parent first */
    int count;                 /* of them */
    int ball;                  /* its number among the balls; -1: it is none */
    double axes[9];            /* of a ball: those of its revolute joints, row by row */
    double cost[9];            /* of its squared rotation */
};

struct bones {
    uint64_t mark;
    const void *self; /* where it was prepared */
    struct model tree;
    int count, balls;
    struct bone *bone;
    int32_t *ball_at; /* (n,) the ball that begins at a coordinate; -1: none */
    int32_t *spot_of; /* (n,) first of the coordinates that have one position and no order */
    double *slides;   /* (n,) */
    double *sizes;    /* (e,) [m] of what hangs on the bones of the ends */
};

/* Joint values (n,), of which those of balls are ignored, and rotations (b, 9) of the balls. */
struct configuration {
    double *values, *balls;
};

/* The bones in the memory, or NULL. */
const struct bones *bones_in(const void *memory);

/* Frames (n, 12) and axes (n, 3) of the coordinates. */
void bones_forward(const struct bones *bones, const struct configuration *at, double *frames, double *axes);

/* Writes the configuration of joint values (n,). */
void configured(const struct bones *bones, const double *angles, struct configuration *out);

void copy_configuration(const struct bones *bones, const struct configuration *from, struct configuration *to);

/* The configuration after a step (n,) of all coordinates. */
void moved_by(const struct bones *bones, const struct configuration *at, const double *step, struct configuration *out);

/* How a configuration differs from an authored one; see `limber_bones_solve`. */
void deviation_of(const struct bones *bones, const struct configuration *authored, const struct configuration *solved,
                  double *deviation);

/* The configuration where an authored pose and the last frame's deviation from it lead, if it changes as it did; `before`
 * may be NULL. */
void extrapolated(const struct bones *bones, const struct configuration *authored, const double *deviation,
                  const double *before, struct configuration *out);

/* Joint values (n,) of a configuration; those of balls nearest to `near` (n,). */
void angles_of(const struct bones *bones, const struct configuration *at, const double *near, double *angles);

#endif
