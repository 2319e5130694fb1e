/* Limits and damping of least-squares steps. Source: solvers/least_squares/bounded_step.py and damping.py. */
#ifndef LIMBER_LEAST_SQUARES_H
#define LIMBER_LEAST_SQUARES_H

#include "tolerances.h"

#define LONGEST_STEP 0.5 /* largest step of a coordinate [rad, or fractions of the reach, or sizes of a mechanism] */
#define MAX_ITERATIONS 200
#define FIRST_SHARE 1e-3
#define LEAST_SHARE 1e-9
#define MOST_SHARE 1e4
#define REDUNDANT (MET * MET)

#endif
