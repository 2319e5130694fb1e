/* One goal from one authored pose: costs and derivatives of configurations. Source: solvers/bones/problem.py. */
#ifndef LIMBER_BONES_PROBLEM_H
#define LIMBER_BONES_PROBLEM_H

#include "bones_model.h"
#include "pose.h"

/* The direction perpendicular to an end's view that is level in the authored pose. */
struct level {
    int joint;           /* joint that carries the end; -1: no roll of this end is preferred */
    /* direction in that joint's frame; its length is the sine of the angle from up to the authored view */
    double direction[3];
    double up[3];        /* up, a unit vector in the base frame */
};

/* Configuration with its costs, and their derivatives. */
struct evaluated {
    struct configuration at;
    struct pose aim;   /* frames, axes and aim error of the configuration */
    double secondary;  /* cost of rotations, rolls and distances */
    double *matrix;    /* (n, n) Gauss-Newton Hessian of the secondary cost, lower triangle */
    double *descent;   /* (n,) negative gradient of the secondary cost */
};

struct bones_problem {
    const struct bones *bones;
    struct goal goal;
    struct configuration authored;
    double *orientations; /* (k, 9) rotation of each bone in its parent's frame, in the authored pose */
    struct level *level;  /* (aims,) level direction of each end */
};

/* Writes the authored pose of joint values (n,), with frames (n, 12) and axes (n, 3) as scratch memory. */
void author_bones(struct bones_problem *problem, const double *reference, double *frames, double *axes);

/* Writes frames, axes and the aim error of a configuration. */
void evaluate_bones_aim(const struct bones_problem *problem, const struct configuration *at, struct pose *aim);

/* Writes the costs and derivatives of `out->at`. */
void evaluate_bones(const struct bones_problem *problem, struct evaluated *out);

/* Whether the first end has a view. */
int has_view(const struct bones_problem *problem);

/* Adds the second derivative (n, n) of the first end's view, times the forces (r,) that hold it, to the lower triangle. */
void add_curvature(const struct bones_problem *problem, const struct pose *aim, const double *forces, double *matrix);

#endif
