/* Gauss-Newton steps on shape and aim of one configuration, within limits. Source: solvers/expressive/descent.py. */
#ifndef LIMBER_DESCENT_H
#define LIMBER_DESCENT_H

#include "pose.h"
#include "step.h"

#define COARSE_PASSES 2 /* number of passes in a step of one among many candidates */
#define HELD 1e-7       /* [rad] aim error below which an aim counts as held: a tenth of `MET` */
#define AIM_COST 30.0   /* degrees of shape deviation that one degree of aim error costs */

/* A problem laid out in its workspace. */
struct work {
    const struct model *model;
    int n, candidates;
    struct goal goal;
    struct authored authored;
    /* the evaluated pose, and another: that of the first step of all paths, or that before a step of the exact
     * correction */
    struct pose pose, kept;
    double *matrix, *descent, *least, *most, *move, *shape_scratch, *boxed_scratch; /* arrays of one step */
    double *lower, *upper, *trial; /* (n,) [rad or m] bounds of a step; angles that are tried */
    double *zeros, *previous, *toward, *path, *path_next; /* (n,) scratch */
    double *rows_matrix, *rows_wanted, *rows_weights; /* (r, r), (r,), (r,) arrays of the exact correction */
    double *ease;                  /* (n,) inverse of each joint's cost in the exact correction */
    struct limber_aim *free_roll;  /* the aims without `up` */
    /* arrays of many candidates */
    double *angles, *others, *spare, *merit, *cosine, *size, *sides, *speeds, *costs, *spare_sides;
    int32_t *order, *picked, *kinds, *branches;
};

/* Objectives of one step. */
struct step_goal {
    const double *toward;       /* (n,) [rad or m] desired movement of the joints */
    double shape, aim;          /* weights, 0 to 1 */
    double proximal;            /* weight of the squared difference from the desired movement */
    const double *lower, *upper; /* (n,) [rad or m] bounds on the angles */
};

/* Checks a problem and lays out its workspace for this number of candidates; without its posture, so that no shape can
 * be compared. */
int32_t begin_aims(const struct limber_problem *problem, int32_t candidates, struct work *work);

/* Same as `begin_aims`, with the shape of the posture. */
int32_t begin(const struct limber_problem *problem, int32_t candidates, struct work *work);

/* LIMBER_OK, or the error code for as many other aims, which are to replace the goal. */
int32_t check_goal(const struct work *work, const struct limber_aim *aim);

/* Replaces the goal by as many other aims, already checked. */
void set_aims(struct work *work, const struct limber_aim *aim);

/* Evaluates the pose of angles (n,). */
void evaluate(struct work *work, const double *angles, double side);

/* Evaluates the aim of the current pose again, for another side of a symmetric end. */
void change_side(struct work *work, double side);

/* Writes the errors (aims,) of the goal's ends in the evaluated pose. */
void write_end_errors(const struct work *work, struct limber_end_error *errors);

/* Cost of the evaluated pose, lower is better. */
double merit_of(const struct work *work);

/* Angles (n,) after one step of the evaluated pose, which is that of `angles`; `out` may be `angles`. */
void guided(struct work *work, const double *angles, const struct step_goal *goal, int passes, double *out);

/* Angles (n,) after one large step of the evaluated pose; shape is 1 or 0. */
void bold(struct work *work, const double *angles, double shape, int passes, double *out);

/* Angles (n,) after the least change that meets the linear model of the aim within bounds. */
void corrected(struct work *work, const double *angles, const double *lower, const double *upper, double *out);

/* Writes the angles (n,) nearest to `desired` within bounds that hold the aim, or those with the least error; their pose
 * is the evaluated one. Returns the number of steps. */
int hold(struct work *work, const double *desired, const double *lower, const double *upper, double *out);

#endif
