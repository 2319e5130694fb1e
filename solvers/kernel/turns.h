/* Rotations (9, row by row) and rotation vectors (3) [rad]. Source: solvers/kinematics/se3.py. */
#ifndef LIMBER_TURNS_H
#define LIMBER_TURNS_H

#include "tolerances.h"
#include "vectors.h"

#define NEAR_HALF_TURN 1e-5

/* out = a b'; `out` must be neither a nor b */
static inline void multiply_back(const double *a, const double *b, double *out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = dot(a + 3 * i, b + 3 * j);
}

/* out = a' b; `out` must be neither a nor b */
static inline void multiply_from_back(const double *a, const double *b, double *out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

/* Rotation of a rotation vector v of length a: I + sin(a) / a S + (1 - cos(a)) / a^2 S^2 with S b = v x b. */
static inline void exponential(const double *v, double *turn) {
    double square = dot(v, v), half = larger(0.5 * sqrt(square), TINY), halved = sin(half) / half;
    double first = cos(half) * halved, second = 0.5 * halved * halved;
    double spin[9] = {0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            turn[3 * i + j] =
                (i == j) + first * spin[3 * i + j] + second * (v[i] * v[j] - (i == j ? square : 0.0));
}

/* The axis of a rotation by almost 180 degrees, from the symmetric part, 2 u u' - 1. */
static inline void axis_near_half_turn(const double *turn, const double *sines, double *axis) {
    int most = 0;
    for (int i = 1; i < 3; i++)
        if (turn[4 * i] > turn[4 * most]) most = i;
    for (int i = 0; i < 3; i++) axis[i] = 0.5 * (turn[3 * i + most] + turn[3 * most + i]) + (i == most);
    double size = sqrt(dot(axis, axis));
    if (dot(axis, sines) < 0.0) size = -size;
    for (int i = 0; i < 3; i++) axis[i] /= size;
}

/* The rotation vector, of up to 180 degrees. */
static inline void logarithm(const double *turn, double *vector) {
    double sines[3] = {0.5 * (turn[7] - turn[5]), 0.5 * (turn[2] - turn[6]), 0.5 * (turn[3] - turn[1])};
    double sine = sqrt(dot(sines, sines)), angle = atan2(sine, 0.5 * (turn[0] + turn[4] + turn[8] - 1.0));
    double factor = angle / larger(sine, TINY);
    if (angle > PI - 2.0 * NEAR_HALF_TURN) {
        factor = angle;
        axis_near_half_turn(turn, sines, vector);
    } else {
        copy3(sines, vector);
    }
    for (int i = 0; i < 3; i++) vector[i] *= factor;
}

/* A rotation made orthonormal again: one Newton step toward the nearest rotation, turn (3 - turn' turn) / 2. */
static inline void make_orthonormal(double *turn) {
    double transposed[9], square[9], before[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) transposed[3 * i + j] = turn[3 * j + i], before[3 * j + i] = turn[3 * j + i];
    multiply(transposed, before, square);
    for (int i = 0; i < 9; i++) square[i] = 0.5 * ((i % 4 == 0 ? 3.0 : 0.0) - square[i]);
    multiply(before, square, turn);
}

#endif
