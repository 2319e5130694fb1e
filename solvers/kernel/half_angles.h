/* Half-angle vectors of rotations and swings, and their derivatives with respect to a rotation from the
 * left.
 *
 * Source: solvers/kinematics/se3.py.
 */
#ifndef LIMBER_HALF_ANGLES_H
#define LIMBER_HALF_ANGLES_H

#include "tolerances.h"
#include "turns.h"


/* Writes the axis (3) of a rotation times the sine of its angle; returns that sine. */
static inline double sines_of(const double *turn, double *sines) {
    sines[0] = 0.5 * (turn[7] - turn[5]), sines[1] = 0.5 * (turn[2] - turn[6]), sines[2] = 0.5 * (turn[3] - turn[1]);
    return sqrt(dot(sines, sines));
}

/* Angle [rad] of a rotation. */
static inline double angle_of(const double *turn) {
    double sines[3], sine = sines_of(turn, sines);
    return atan2(sine, 0.5 * (turn[0] + turn[4] + turn[8] - 1.0));
}

/* Half-angle vector (3): the axis times twice the sine of half the angle; and its derivative (3, 3). */
static inline void half_angle(const double *turn, double *vector, double *slope) {
    double sines[3], sum = 1.0 + (turn[0] + turn[4] + turn[8]);
    double cosine = larger(0.5 * sqrt(larger(sum, 0.0)), TINY); /* cosine of half the angle */
    sines_of(turn, sines);
    for (int i = 0; i < 3; i++) vector[i] = sines[i] / cosine;
    if (cosine < NEAR_HALF_TURN) {
        double axis[3], length = 2.0 * sin(0.5 * angle_of(turn));
        axis_near_half_turn(turn, sines, axis);
        for (int i = 0; i < 3; i++) vector[i] = length * axis[i];
    }
    const double *v = vector;
    double spin[9] = {0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0};
    for (int i = 0; i < 9; i++) slope[i] = (i % 4 == 0 ? cosine : 0.0) - 0.5 * spin[i];
}

/* Half-angle vector (2) of the smallest rotation from +Z to a unit vector, and its derivative (2, 3). */
static inline void half_swing(const double *axis, double *vector, double *slope) {
    const double opposite = NEAR_HALF_TURN * NEAR_HALF_TURN;
    double far = larger(1.0 + axis[2], opposite), factor = sqrt(2.0 / far), bent = 0.5 / (far * factor);
    double x = factor * axis[0], y = factor * axis[1], z = factor * axis[2];
    vector[0] = -y, vector[1] = x;
    slope[0] = z + bent * y * y, slope[1] = -bent * y * x, slope[2] = -x;
    slope[3] = -bent * y * x, slope[4] = z + bent * x * x, slope[5] = -y;
    if (1.0 + axis[2] <= opposite) { /* rotation about x, where the axis is undefined */
        double sine[2] = {-axis[1], axis[0]}, length = sqrt(sine[0] * sine[0] + sine[1] * sine[1]);
        double size = sqrt(2.0 - 2.0 * smaller(axis[2], 1.0));
        vector[0] = size * (length > NO_DIRECTION ? sine[0] / length : 1.0);
        vector[1] = size * (length > NO_DIRECTION ? sine[1] / length : 0.0);
    }
}

#endif
