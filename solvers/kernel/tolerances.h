/* Values below which numbers count as zero, from the finest to the coarsest, and valid durations of a frame. Source:
 * solvers/tolerances.py. */
#ifndef LIMBER_TOLERANCES_H
#define LIMBER_TOLERANCES_H

#define PI 3.14159265358979323846
#define TAU (2.0 * PI)
#define DEGREES (PI / 180.0)
#define TINY 1.4916681462400413e-154
#define NO_DIRECTION 1e-12
#define EXACT 1e-10
#define SAME_ANGLE 1e-9
#define MET 1e-6
#define LEAST_GAIN 1e-6
#define SEEN (1.0 * DEGREES)
#define SHORTEST_FRAME 1e-12 /* [s] */
#define LONGEST_FRAME 1e7    /* [s] */

#endif
