/* What the kernel exports of the solver for mechanisms with closed loops; see limber.h for the
 * conventions.
 *
 * Source of names and formulas: solvers/mechanism, solvers/tasks.py and solvers/least_squares.
 */
#ifndef LIMBER_MECHANISM_H
#define LIMBER_MECHANISM_H

#include "limber.h"

enum limber_motion { LIMBER_REVOLUTE, LIMBER_PRISMATIC, LIMBER_SPHERICAL };

/* The spanning tree of a mechanism and its closures as arrays: n elementary joints, parents before their children, with v
 * coordinates (three of a spherical joint); b bodies; c closures, of which d fix the pose of a driven body. */
struct limber_mechanism {
    int32_t joints, coordinates, bodies, closures, driven, clusters;
    double size;                   /* [m] length that counts as 1 rad */
    const int32_t *parents;        /* (n,) -1: the world */
    const int32_t *kinds;          /* (n,) `limber_motion` */
    const double *rests;           /* (n, 12) frames in the parents' frames, at zero */
    const double *axes;            /* (n, 3) unit vectors in the joints' frames */
    const double *lower, *upper;   /* (v,) limits [rad or m], possibly infinite */
    const double *velocity;        /* (v,) velocity limits [rad/s or m/s], possibly infinite */
    const int32_t *actuated;       /* (v,) whether an actuator drives the coordinate */
    const int32_t *body_joints;    /* (b,) joint that carries a body; -1: the world */
    const double *body_frames;     /* (b, 12) frame of each body in that joint's */
    const double *masses, *centres; /* (b,) fraction of the total mass; (b, 3) centre in the body's frame */
    const int32_t *end_joints;     /* (c, 2) joints that carry the closures' ends, on the parent and on the child */
    const double *end_frames;      /* (c, 2, 12) frames of the ends in those joints */
    const int32_t *rows;           /* (c,) bit k: component k of `kinds.Row` is constrained */
    const int32_t *driven_of;      /* (c,) index of the driven pose that the closure fixes; -1 if none */
    /* (c,) index of the closure's cluster of loops that share coordinates; -1 if no coordinate moves it */
    const int32_t *cluster_of;
};

LIMBER_EXPORT size_t limber_mechanism_bytes(const struct limber_mechanism *mechanism);

/* Writes the model of a mechanism to memory, which must not be moved afterwards. */
LIMBER_EXPORT int32_t limber_mechanism(void *memory, size_t bytes, const struct limber_mechanism *mechanism);

/* Count of numbers in an assembly mode; and size [bytes] of a workspace for a number of goals, with or
   without regularisers. */
LIMBER_EXPORT size_t limber_mechanism_mode_count(const void *model);
LIMBER_EXPORT size_t limber_mechanism_workspace_bytes(const void *model, int32_t goals, int32_t is_regularised);

enum limber_task {
    LIMBER_TASK_POSITION,    /* position of an end; `target` (3,) [m] */
    LIMBER_TASK_ORIENTATION, /* orientation of an end; `target` (9,) is the inverse rotation */
    /* direction of an end's Z; `target` (9,) is the inverse of a rotation that takes Z to the direction */
    LIMBER_TASK_AXIS,
    LIMBER_TASK_CENTRE,      /* centre of mass; `target` (3,) [m] */
    LIMBER_TASK_VALUE,       /* value of the coordinate `index`; `target` (1,) [rad or m] */
    /* rotation of the spherical joint `index`, counted among these; `target` (9,) is the inverse rotation */
    LIMBER_TASK_BALL,
    /* speed of an end's rotation, for regularisers only; `target` (9,) is the inverse of the last rotation */
    LIMBER_TASK_SPEED,
};

/* One goal. All numbers are doubles, so that a caller can hold many goals in one array. */
struct limber_mechanism_goal {
    double task, index; /* index: joint that carries the end, -1 for the world; or as above */
    double frame[12];   /* frame of the end in that joint's */
    double roots[3];    /* square roots of the weights */
    double target[9];
};

/* One solve, as `MechanismSolver.solve`: its start and its result. */
struct limber_mechanism_solve {
    const void *model;
    void *workspace; /* scratch memory, not kept between calls */
    size_t workspace_bytes;
    const double *values; /* (v,) [rad or m] coordinates in the last frame */
    const double *balls;  /* (k, 9) rotations of the spherical joints */
    const double *mode;   /* assembly mode of the last frame */
    /* (2, v) motion of the last frame [units]: along the tangent of its path, and the correction */
    const double *motion;
    const struct limber_mechanism_goal *goals;
    const double *driven; /* (d, 13) whether the driven body has a pose, and that pose */
    double weight_axes[9]; /* axes of the weights of positions, as columns */
    double dt, motion_dt;  /* [s] since the last frame, and of the last motion; 0: none */
    double damping;        /* damping as a fraction of the squared error */
    double keep_weight, speed_weight, speed; /* weights of the regularisers; speed [rad/s] */
    int32_t goal_count, has_weight_axes, has_mode;
    int32_t counts_full_rotations; /* whether full rotations of actuators count */
    /* whether goals of bodies move the actuators, so that the path continues straight through folds */
    int32_t continues;
    int32_t closes_only;           /* whether only the loops are closed, as in `assembly._closed` */
    int32_t iterations;            /* most steps */
    int32_t evaluations;           /* budget of evaluated configurations; negative: no limit */

    double *values_after, *balls_after, *mode_after, *motion_after;
    double *poses;        /* (b, 16) poses of the bodies */
    double *least, *most; /* (v,) [rad or m] bounds of this frame */
    int32_t *held;        /* (v,) whether a coordinate is held at a bound against the goals */
    double damping_after, residual, goal_error;
    int32_t worst;        /* index of the closure with the largest residual; -1 if there is none */
    int32_t is_settled, is_flipped, has_motion_after, has_mode_after, any_held;
    int32_t steps;
};

LIMBER_EXPORT int32_t limber_mechanism_solve(struct limber_mechanism_solve *solve);

#endif
