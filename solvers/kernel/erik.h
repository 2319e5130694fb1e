/* ERIK's main loop, its tricks, and its choice of the best candidate. Source: solvers/erik/algorithm.py. */
#ifndef LIMBER_ERIK_H
#define LIMBER_ERIK_H

#include "coordinate_descent.h"
#include "phases.h"

/* ERIK on one chain, and the state of one solve. */
struct erik {
    struct chain chain;
    Hyperparameters hyper;
    double *weights;             /* (bends,) weights of the posture's bends */
    int iterations;              /* result: number of iterations */
    /* errors of the best candidate: the paper's posture error, weighted, and the weighted sum of both errors */
    double posture_error, error;
    double *best;                /* (n,) [rad] angles of the best candidate */
    Quaternion end;              /* orientation of its end */
    double *authored, *cosines;  /* (bends,) cosines of the bends of the posture, and of a candidate */
    struct chain_pose warped;    /* the posture, and its shape as it is warped toward the target */
    struct chain_pose solved;    /* the last candidate */
    struct hung hung, last_hung; /* results of the last forward phase, and of the one before */
    int has_hung;                /* whether the last forward phase had the same aim as the next one */
};

/* The paper's orientation error for an error angle [rad] (eq. 20; Algorithm 5). */
static inline double papers_error(double angle) { return sqrt(2.0) * sin(0.25 * angle); }

/* Lays out a chain with `joints` joints in memory, or only measures it if `memory` is NULL; returns its size [bytes]. */
size_t erik_laid_out(struct erik *erik, char *memory, size_t joints);

/* Prepares ERIK for a chain whose models and hyperparameters are written. */
void prepare_erik(struct erik *erik);

/* Algorithm 3: the angles that point the end at the target and keep the posture's shape, as `calculate_erik`.
 * `previous` (n,) may be NULL. Returns whether a candidate with a finite error was found. */
int calculate_erik(struct erik *erik, const double *posture, const struct end_aim *aim, const double *previous);

#endif
