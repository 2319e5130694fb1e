/* The least squares of a body's step, solved joint by joint from the leaves inward, in time linear in the joints.
 *
 * A target's squared error is a quadratic of its link's velocity, like an inertia that the link carries. What a joint
 * moves depends on the rest of the body by the motion of its parent alone, so once it is eliminated its links act on the
 * parent as an inertia and a force: the articulated body algorithm (Featherstone 1983; 2008, chapter 7), with weights for
 * masses and damping for rotors. Joints at a bound are moved there instead of eliminated. The equations are those of
 * solvers/whole_body/normal.py; no matrix of the whole body is formed. All is in the world's axes about the base's
 * position, so that nothing needs transforming.
 */
#ifndef LIMBER_ARTICULATED_H
#define LIMBER_ARTICULATED_H

#include "body.h"

/* The base, at 0, or joint i, at i + 1; motions, inertias and forces are linear before angular. */
struct node {
    double frame[12];            /* after its own motion, from the base's position */
    double motion[BASE];         /* velocity by a unit of the joint */
    double carried[BASE * BASE]; /* inertia of the targets on its links */
    double drawn[BASE];          /* their force */
    double inertia[BASE * BASE]; /* with what all nodes after it add */
    double force[BASE];
    double felt[BASE];           /* the inertia's momentum by a unit of the joint */
    double pivot, pull;          /* the joint's own inertia and force */
    double velocity[BASE];       /* in the solution */
};

/* The desired rotation of a link. */
struct turn {
    int node;
    double weight, rotation[9], error[3]; /* [rad] */
};

/* The desired displacement of a link. */
struct move {
    int node;
    double weight, position[3], error[3]; /* [m] */
};

/* Minimises the weighted squares of all errors plus x' D x / 2 - g' x within bounds of the joints. */
struct least_squares {
    const struct body *body;
    struct node *nodes;  /* (1 + n,) */
    double *damped;      /* (6 + n,) D */
    double *drawn;       /* (6 + n,) g */
    double *lower, *upper; /* (6 + n,) bounds of x, may be infinite; those of the base are infinite or zero */
    double *x, *slope;   /* (6 + n,) solution; gradient of active unknowns */
    double *start;       /* (6 + n,) scratch */
    double steepest, largest; /* diagonal entry of the Hessian, entry of the gradient at zero, in size */
};

/* Frames and motions of the nodes. */
void body_forward(const struct body *body, const double *joints, const double *base_rotation, struct node *nodes);

/* Writes the inertias and forces of targets to the nodes, raises damping to `least_damping` times the largest diagonal
 * entry, and finds `steepest` and `largest`. */
void assemble(struct least_squares *problem, const struct turn *turns, int turn_count, const struct move *moves,
              int move_count, double least_damping);

/* The minimum with active unknowns at their bounds and the others free, and the gradient of those that are active. */
void least(struct least_squares *problem, const int8_t *sides);

/* The minimum within bounds, by a search from active bounds `sides` (6 + n,); writes the active ones, and returns the
 * number of linear solves. */
int box_minimum(struct least_squares *problem, int8_t *sides, int *stopped);

#endif
