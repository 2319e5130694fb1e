/* Where an end should look, and its errors. Source: solvers/goals.py, solvers/gaze.py. */
#ifndef LIMBER_LOOK_H
#define LIMBER_LOOK_H

#include "end_error.h"
#include "rotations.h"

/* Whether a roll is upright, and the orientation with Y along the unit vector `direction`, X perpendicular to the unit
 * vector `up` and Z on its side. */
int upright(Vector direction, Vector up, Quaternion *orientation);

/* Errors of an end with this orientation and position. */
struct limber_end_error end_error(const struct limber_aim *aim, Quaternion end, Vector position, double reach);

#endif
