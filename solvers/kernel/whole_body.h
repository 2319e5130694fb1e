/* What the kernel exports of the whole-body solver; see limber.h for the conventions.
 *
 * Source of names and formulas: solvers/whole_body and solvers/least_squares.
 */
#ifndef LIMBER_WHOLE_BODY_H
#define LIMBER_WHOLE_BODY_H

#include "limber.h"

/* One body with the links that can have targets as arrays: n joints, k links with an orientation target, p with a
 * position target, c couplings of joints. */
struct limber_body {
    int32_t joints, turning, placed, couplings;
    int32_t levels;                /* number of priority levels of targets */
    int32_t contacts;              /* most contacts of a step */
    int32_t floating;              /* whether the base is free to move */
    const int32_t *parents;        /* (n,) -1: the base */
    const int32_t *prismatic;      /* (n,) 1 for a prismatic joint, 0 for a revolute one */
    const int32_t *rows;           /* (n,) 1 to n, the index of a joint's frame among those that a step returns */
    const double *rests;           /* (n, 12) frames in the parents' frames, at zero */
    const double *axes;            /* (n, 3) unit vectors in the joints' frames */
    const double *lower, *upper;   /* (n,) limits [rad or m], possibly infinite */
    const int32_t *turning_joints; /* (k,) joint that carries a link; -1: the base */
    const double *turning_ends;    /* (k, 12) frames of the links in those joints */
    const int32_t *placed_joints;  /* (p,) joint that carries a link with a position target; -1: the base */
    const double *placed_ends;     /* (p, 12) frames of the links in those joints */
    const int32_t *turning_levels, *placed_levels; /* (k,), (p,) priority levels, 0 first */
    const double *coupling_factors; /* (c, n) factors of the joints' values */
    const double *coupling_lower, *coupling_upper; /* (c,) bounds of the sums, possibly infinite */
};

LIMBER_EXPORT size_t limber_body_bytes(const struct limber_body *body);
LIMBER_EXPORT size_t limber_body_workspace_bytes(const struct limber_body *body);

/* Writes the model of a body to memory, which must not be moved afterwards. */
LIMBER_EXPORT int32_t limber_body(void *memory, size_t bytes, const struct limber_body *body);

/* One step toward the targets of a frame, as `WholeBody.step`: its start and its result. */
struct limber_body_step {
    const void *body;
    void *workspace; /* scratch memory, not kept between calls */
    size_t workspace_bytes;

    const double *joints;        /* (n,) [rad or m] joint values before the step */
    const double *base;          /* (12,) frame of the base */
    const double *least, *most;  /* (n,) [rad or m] bounds of the joint values after the step, possibly infinite */
    /* (k, 9) rotations of the orientation targets in the world; if not a rotation, the target is ignored */
    const double *turns;
    /* (p, 3) positions of the position targets [m]; if not finite, the target is ignored */
    const double *places;
    const double *spins;         /* (k, 3) [rad/s] velocities of the orientation targets; if not finite, zero */
    const double *speeds;        /* (p, 3) [m/s] velocities of the position targets; if not finite, zero */
    const double *turn_weights, *weights; /* (k,), (p,) weights of squared errors */
    const double *turn_shares, *shares;   /* (k,), (p,) shares of the errors that the step corrects */
    const double *posture;       /* (n,) [rad or m] posture to which joints return that no target determines */
    double dt;                   /* [s] duration of the step */
    double acceleration;         /* [rad/s^2] acceleration limit of the joints; zero: links can stop at once */
    double damping, damping_by_error; /* added to the diagonal; the latter times the mean squared error */
    double pull;                 /* gradient toward the posture, per difference from it */
    const int32_t *contact_joints;   /* (q,) joint that carries the link of each contact; -1: the base */
    const double *contact_ends;      /* (q, 12) the link's frame in that joint's */
    const double *contact_places;    /* (q, 3) position of the link in the world [m] */
    const double *contact_turns;     /* (q, 9) rotation of the link in the world */
    const int32_t *contact_turned;   /* (q,) whether the rotation counts */
    int32_t contacts;                /* number q of contacts */
    int32_t most_rounds;             /* linear solves after which a search is stopped */
    int32_t has_spins, has_speeds;    /* whether the targets' velocities count */
    int32_t corrects;            /* whether a second step corrects the error of linearisation, if it matters */

    double *moved;               /* (n + 12 + 6 + n) joints, base and velocity after the step */
    /* (1 + n, 16) frames of the base and, at `row` of the body, of the joints after the step, relative to the base's
     * position */
    double *frames;
    int8_t *sides;               /* (6 + n,) bounds active in the last step; afterwards those of this step */
    int8_t *lost;                /* (k + p,) whether a target was ignored */
    /* (r,) multipliers of the last step's constraints, zeros: not known; afterwards those of this step. The constraints are
     * the couplings, then 3 of each contact's position and 3 of its rotation. */
    double *forces;
    int8_t *yielded;             /* (r,) constraints that are violated */
    int32_t rounds, stopped;     /* linear solves; whether the search was stopped early */
};

LIMBER_EXPORT int32_t limber_body_step(struct limber_body_step *step);

#endif
