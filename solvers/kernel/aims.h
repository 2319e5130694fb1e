/* Aim errors of a pose and their Jacobian. Source: solvers/aims/blocks.py; solvers/expressive/aims.py. */
#ifndef LIMBER_AIMS_H
#define LIMBER_AIMS_H

#include "pose.h"

/* LIMBER_OK, or the error code for invalid aims. */
int32_t check_aims(const struct model *model, const struct limber_aim *aim, int aims);

/* Index of the aim whose two sides (of a symmetric end) are tried: the first that is two-sided; -1 if
   there is none. */
int sided_aim(const struct limber_aim *aim, int aims);

/* Number of rows in an aim's residual. */
int rows_of(const struct limber_aim *aim);

/* Writes `rows`, `error`, `columns` and `size` of a pose whose frames and axes are known. `side` is +1 for
 * the target itself, -1 for the target rolled by 180 degrees, 0 for the nearer of the two. */
void evaluate_aims(const struct model *model, const struct goal *goal, double side, struct pose *pose);

#endif
