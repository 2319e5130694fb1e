/* Upright orientation of an end along a view, and errors of ends. Source: solvers/aims/rolls.py,
 * solvers/gaze.py. */
#ifndef LIMBER_LOOK_H
#define LIMBER_LOOK_H

#include "end_error.h"
#include "rotations.h"

/* Writes the orientation with Y along the unit vector `direction`, X perpendicular to the unit vector
 * `up`, and Z on the side of `up`; returns 0 if `up` is along the direction, which leaves the roll
 * undefined, else 1. */
int upright(Vector direction, Vector up, Quaternion *orientation);

/* Errors of an end with this orientation and position [m] with respect to an aim. */
struct limber_end_error end_error(const struct limber_aim *aim, Quaternion end, Vector position, double reach);

#endif
