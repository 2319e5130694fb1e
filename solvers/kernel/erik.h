/* ERIK's main loop, its tricks, and its choice of the best candidate. Source: solvers/erik/algorithm.py. */
#ifndef LIMBER_ERIK_H
#define LIMBER_ERIK_H

#include "coordinate_descent.h"

/* ERIK on one chain, laid out in its workspace: the posture's shape, and the state of one solve. */
struct erik {
    struct chain chain;
    const Hyperparameters *hyper;
    int iterations;              /* result: number of iterations */
    /* errors of the best candidate: the paper's posture error, weighted, and the weighted sum of both errors */
    double posture_error, error;
    double *best;                /* (n,) [rad] angles of the best candidate */
    double *authored, *weights;  /* (bends,) cosines of the posture's bends, and their weights */
    double *shape, *warped, *angles, *solved, *cosines; /* (n,) scratch of an iteration */
    Quaternion *bases, *next_bases;                     /* (n + 1,) bases of the links and the end */
    /* Its pose is in turn that of the posture's shape, of the warped posture and of `solved`. */
    struct descent descent;
};

/* Lays out a solve in memory, or only measures it if `memory` is NULL; returns its size [bytes]. */
size_t erik_laid_out(struct erik *erik, char *memory, size_t joints);

/* Algorithm 3: the angles that point the end at the target and keep the posture's shape, as `calculate_erik`.
 * `previous` (n,) may be NULL. Returns whether a candidate with a finite error was found. */
int calculate_erik(struct erik *erik, const double *posture, const struct end_aim *aim, const double *previous);

#endif
