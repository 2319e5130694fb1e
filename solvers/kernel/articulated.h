/* The least squares of a body's step, solved joint by joint from the leaves inward, in time linear in the joints.
 *
 * A target's squared error is a quadratic of its link's velocity, like an inertia that the link carries. What a joint
 * moves depends on the rest of the body by the motion of its parent alone, so once it is eliminated its links act on the
 * parent as an inertia and a force: the articulated body algorithm (Featherstone 1983; 2008, chapter 7), with weights for
 * masses and damping for rotors. Joints at a bound are moved there instead of eliminated. The equations are those of
 * solvers/whole_body/normal.py; no matrix of the whole body is formed. All quantities are in the world's axes about the
 * base's position, so that no transformations are needed. */
#ifndef LIMBER_ARTICULATED_H
#define LIMBER_ARTICULATED_H

#include "body.h"

/* The base, at 0, or joint i, at i + 1; motions, inertias and forces are linear before angular. */
struct node {
    double frame[12];            /* frame after its own motion, relative to the base's position */
    double motion[BASE];         /* the node's velocity per unit of the joint */
    double carried[BASE * BASE]; /* inertia of the targets on its links */
    double target_force[BASE];   /* force of these targets: negative gradient at rest, by the node's velocity */
    double left[BASE];           /* remaining part of this force at the point from which a solve starts */
    double inertia[BASE * BASE]; /* inertia together with that of all later nodes */
    double force[BASE];
    double felt[BASE];           /* the inertia's momentum per unit of the joint */
    double pivot, pull;          /* the joint's own inertia and force */
    double velocity[BASE];       /* velocity in the solution */
};

#define EVERY_LEVEL (-1)

/* The desired rotation of a link. */
struct turn {
    int node, level;
    double weight, rotation[9], error[3]; /* error: rotation vector [rad] */
};

/* The desired displacement of a link. */
struct move {
    int node, level;
    double weight, position[3], error[3]; /* error: displacement [m] */
};

/* A linear function of the move: of a node's velocity, or of the joints. */
struct row {
    int node;
    double wrench[BASE];   /* factors of the node's velocity */
    const double *factors; /* (n,) factors of the joints; NULL: the node is used */
    double lower, upper;   /* bounds of the row, possibly infinite */
    double tolerance;      /* violation [in the row's unit] that counts as zero */
    double relief;         /* amount by which its bounds have been relaxed */
    double value;          /* value at the point from which a solve starts */
    double force;          /* multiplier of the row */
    double change, last;   /* change of the multiplier over the stiffness, in this set and the previous one */
    int is_active;         /* whether its spring acts in `least` */
    double error;          /* extension of the spring at the start of a solve */
};

/* Minimises the weighted squares of all errors plus x' D x / 2 - g' x within bounds of the joints and rows. */
struct least_squares {
    const struct body *body;
    struct node *nodes; /* (1 + n,) base and joints */
    double *damped;      /* (6 + n,) D, damping */
    double *diagonal;    /* (6 + n,) diagonal of the Hessian */
    double *downhill;    /* (6 + n,) g, negative gradient at x = 0 */
    double *least, *most;  /* (6 + n,) bounds of x, possibly infinite; those of the base are infinite or zero */
    double *at;            /* (6 + n,) the point from which a solve starts; finally the solution */
    double *left;          /* (6 + n,) remaining g at the start `at` */
    double *lower, *upper; /* (6 + n,) bounds relative to the start `at` */
    double *x, *slope;   /* (6 + n,) move of a solve; gradient of active unknowns */
    double *start, *scaled; /* (6 + n,) scratch */
    /* largest absolute entry of the Hessian's diagonal, with active springs, and of the gradient at the start of a solve */
    double steepest, largest;
    struct row *rows;
    int row_count, most_rounds;
    double stiffness;  /* stiffness of the springs of active rows */
    double *halves;    /* (m, 6 + n) scratch: rows after elimination of the joints */
    double *compliance; /* (m, m) scratch: compliance of the springs and of the bodies to which they are attached */
    double *pushes;    /* (m,) scratch: forces of the rows */
};

/* Writes the frames and motions of the nodes. */
void body_forward(const struct body *body, const double *joints, const double *base_rotation, struct node *nodes);

/* Writes the inertias and forces of the targets of one priority level to the nodes, raises damping to `least_damping`
 * times the largest diagonal entry, and finds `steepest`. */
void assemble(struct least_squares *problem, const struct turn *turns, int turn_count, const struct move *moves,
              int move_count, int level, double least_damping);

/* Writes the velocities of the nodes for a move x (6 + n,). */
void move_nodes(struct least_squares *problem, const double *x);

/* Value of a row for a move x (6 + n,), from the velocities of the nodes. */
double row_value(const struct least_squares *problem, const struct row *row, const double *x);

/* A row's factors (6 + n,) of all unknowns. */
void spread_row(const struct least_squares *problem, const struct row *row, double *factors);

/* Prepares solves that start from the point `at`, where the rows push by `pushes` (m,): writes the remaining forces and
 * bounds there, and `largest`. */
void start_solves(struct least_squares *problem);

/* Writes to `x` the move with active unknowns at their bounds and the others free, on the springs of active rows; and to
 * `slope` the gradient of active unknowns. */
void least(struct least_squares *problem, const int8_t *sides);

/* Writes to `x` the move within bounds, by a search from the active bounds `sides` (6 + n,), and to `sides` those of the
 * result. Returns the number of linear solves. */
int box_minimum(struct least_squares *problem, int8_t *sides, int *stopped);

/* Writes the minimum within bounds and rows to `at`, and the velocities of the nodes there. Starts from the active
 * bounds `sides` (6 + n,) and the rows' forces, and writes the new ones. Returns the number of linear solves. */
int constrained_minimum(struct least_squares *problem, int8_t *sides, int *stopped);

/* Violation of a row in the minimum; zero where it holds. */
double violation(const struct row *row);

#endif
