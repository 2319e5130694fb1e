/* Starting configurations of plans and searches. Source: solvers/expressive/seeds.py, search.py and
   plan.py. */
#ifndef LIMBER_SEEDS_H
#define LIMBER_SEEDS_H

#include "descent.h"

#define MOST_SPREADS 1024

/* Starts with a symmetric end on one side: `count` starts, the first with the index `first`; the next
   `count` starts have the same angles and the end on the other side. */
struct twins {
    int first, count;
};

/* LIMBER_OK, or the error code for invalid seeds. */
int32_t check_seeds(const struct limber_seeds *seeds, int joints);

/* Writes the starts of a search for the shape of the posture (n,) to work->angles and their sides to work->sides: those
 * around it, on both sides of a symmetric end. Returns their number. */
int write_starts_from_scratch(struct work *work, const struct limber_seeds *seeds, const double *posture);

/* Writes the starts of a plan to work->angles, their sides to work->sides and the weights of their shape to work->speeds:
 * the known branches, those around the posture (n,), on both sides of a symmetric end, and those near the current
 * angles. Returns their number, at most LIMBER_STARTS. */
int write_starts(struct work *work, const struct limber_plan *plan, const double *posture, struct twins *twins);

#endif
