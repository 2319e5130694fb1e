/* Which configurations are on different branches of solutions. Source: solvers/expressive/seeds.py. */
#ifndef LIMBER_BRANCHES_H
#define LIMBER_BRANCHES_H

#include "descent.h"

#define SAME_BRANCH 0.25 /* [rad] largest joint difference up to which two configurations are on one branch */

/* Largest difference [rad] of joints between two configurations (n,). */
double farthest_joint(const struct model *model, const double *angles, const double *others);

/* Writes to `order` the indices of `count` costs, least first; equal ones in their order. */
void sort_by(const double *costs, int count, int32_t *order);

/* Writes to `kept` at most `most` of the `count` indices in `order` whose configurations, rows of `angles` (., n), are on
 * different branches; returns their number. `kept` may be `order`. */
int distinct(const struct model *model, const double *angles, const int32_t *order, int count, int most, int32_t *kept);

#endif
