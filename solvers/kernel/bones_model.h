/* One skeleton as bones, prepared once. Source: solvers/bones/model.py. */
#ifndef LIMBER_BONES_MODEL_H
#define LIMBER_BONES_MODEL_H

#include "bones.h"
#include "model.h"

#define MOST_OF_A_BONE 3 /* largest number of joints in a bone */

/* The joints that form one bone. */
struct bone {
    int joint[MOST_OF_A_BONE]; /* coordinates, nearest the parent first */
    int count;                 /* number of these coordinates */
    int ball;                  /* index among the balls; -1 if it is not a ball */
    double axes[9];            /* for a ball: axes of its revolute joints, row by row */
    double cost[9];            /* cost of its squared rotation, (3, 3) */
};

struct bones {
    uint64_t mark;
    const void *self; /* address at which it was prepared */
    struct model tree;
    int count, balls;
    struct bone *bone;
    int32_t *ball_at; /* (n,) index of the ball whose first coordinate this is; -1 if there is none */
    int32_t *spot_of; /* (n,) first coordinate of the ball to which a coordinate belongs, or the coordinate itself */
    double *slides;   /* (n,) cost of each prismatic joint's squared displacement [1/m2]; 0 for others */
    double *sizes;    /* (e,) [m] size of everything that the bone of each end carries */
};

/* Joint values (n,), where those of balls are ignored, and rotations (b, 9) of the balls. */
struct configuration {
    double *values, *balls;
};

/* The model in this memory; NULL if the memory holds none. */
const struct bones *bones_in(const void *memory);

/* Frames (n, 12) and axes (n, 3) of the coordinates. */
void bones_forward(const struct bones *bones, const struct configuration *at, double *frames, double *axes);

/* Writes the configuration of joint values (n,). */
void configured(const struct bones *bones, const double *angles, struct configuration *out);

void copy_configuration(const struct bones *bones, const struct configuration *from, struct configuration *to);

/* The configuration after a step (n,) of all coordinates. */
void moved_by(const struct bones *bones, const struct configuration *at, const double *step, struct configuration *out);

/* Writes the deviation (n + 9 b,) of a configuration from an authored one; see `limber_bones_solve`. */
void deviation_of(const struct bones *bones, const struct configuration *authored, const struct configuration *solved,
                  double *deviation);

/* The configuration with the last frame's deviation from an authored pose, extrapolated by its change
 * since the frame `before`, which may be NULL. */
void extrapolated(const struct bones *bones, const struct configuration *authored, const double *deviation,
                  const double *before, struct configuration *out);

/* Joint values (n,) of a configuration; those of balls nearest to `near` (n,). */
void angles_of(const struct bones *bones, const struct configuration *at, const double *near, double *angles);

#endif
