/* Errors of an end. Source: solvers/aims/blocks.py. */
#ifndef LIMBER_END_ERROR_H
#define LIMBER_END_ERROR_H

#include "limber.h"

/* Errors of an end with this frame (12) for an aim. */
struct limber_end_error end_error_in(const struct limber_aim *aim, const double *frame, double reach);

#endif
