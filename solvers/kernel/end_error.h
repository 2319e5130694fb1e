/* Errors of an end. Source: solvers/gaze.py. */
#ifndef LIMBER_END_ERROR_H
#define LIMBER_END_ERROR_H

#include "limber.h"

/* Errors of an end with this frame (12) for an aim's view or orientation; none for a position alone. */
struct limber_end_error end_error_of_aim(const struct limber_aim *aim, const double *frame, double reach);

#endif
