/* Aim errors of a pose and their Jacobian. Source: solvers/aims/blocks.py; solvers/expressive/aims.py. */
#ifndef LIMBER_AIMS_H
#define LIMBER_AIMS_H

#include "pose.h"

/* LIMBER_OK, or what is wrong with aims. */
int32_t check_aims(const struct model *model, const struct limber_aim *aim, int aims);

/* The aim whose side of a symmetric end is tried: the first with two sides; -1: none. */
int sided_aim(const struct limber_aim *aim, int aims);

/* Rows of the residual of an aim. */
int rows_of(const struct limber_aim *aim);

/* Writes `rows`, `error`, `columns` and `size` of a pose whose frames and axes are known. `side` is +1 for the target
 * itself, -1 for its half roll, 0 for the nearer. */
void evaluate_aims(const struct model *model, const struct goal *goal, double side, struct pose *pose);

#endif
