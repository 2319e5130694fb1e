/* The exact correction: the angles nearest to a solution that meet the aim. Source: solvers/exact_aim.py. */
#ifndef LIMBER_EXACT_H
#define LIMBER_EXACT_H

#include "descent.h"


/* Corrects angles (n,) within limits in place, at the joints' costs, in at most `most_steps` steps; their
 * frames and aim errors are then the evaluated ones. Returns the number of steps. */
int correct(struct work *work, double *angles, int most_steps);

/* As `correct`; where a chain cannot also be upright, only the views are corrected. The evaluated errors
 * include the roll. */
int correct_or_look(struct work *work, double *angles, int most_steps);

/* The error [rad] of the first end's view, or of its orientation where that is prescribed, in the evaluated pose; 0
 * if the aim prescribes neither, or has no weight. */
double view_error(const struct work *work);

#endif
