/* Vectors (3), rotations (9, row by row) and frames (12). */
#ifndef LIMBER_VECTORS_H
#define LIMBER_VECTORS_H

#include <math.h>

static inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void cross(const double *a, const double *b, double *out) {
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}

static inline void copy3(const double *a, double *out) { out[0] = a[0], out[1] = a[1], out[2] = a[2]; }

static inline void subtract(const double *a, const double *b, double *out) {
    out[0] = a[0] - b[0], out[1] = a[1] - b[1], out[2] = a[2] - b[2];
}

/* out += factor a */
static inline void add_scaled(double factor, const double *a, double *out) {
    out[0] += factor * a[0], out[1] += factor * a[1], out[2] += factor * a[2];
}

/* The vector, given in a rotated frame, in the outer frame. */
static inline void rotate(const double *rotation, const double *a, double *out) {
    double x = dot(rotation, a), y = dot(rotation + 3, a), z = dot(rotation + 6, a);
    out[0] = x, out[1] = y, out[2] = z;
}

/* The vector, given in the outer frame, in a rotated frame. */
static inline void rotate_back(const double *r, const double *a, double *out) {
    double x = r[0] * a[0] + r[3] * a[1] + r[6] * a[2];
    double y = r[1] * a[0] + r[4] * a[1] + r[7] * a[2];
    double z = r[2] * a[0] + r[5] * a[1] + r[8] * a[2];
    out[0] = x, out[1] = y, out[2] = z;
}

/* Column of a rotation: axis 0 (X), 1 (Y) or 2 (Z) of its frame. */
static inline void axis_of(const double *rotation, int axis, double *out) {
    out[0] = rotation[axis], out[1] = rotation[3 + axis], out[2] = rotation[6 + axis];
}

/* The rotation (9) of a unit quaternion. */
static inline void matrix_of(const double *q, double *out) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    out[0] = 1.0 - 2.0 * (y * y + z * z), out[1] = 2.0 * (x * y - w * z), out[2] = 2.0 * (x * z + w * y);
    out[3] = 2.0 * (x * y + w * z), out[4] = 1.0 - 2.0 * (x * x + z * z), out[5] = 2.0 * (y * z - w * x);
    out[6] = 2.0 * (x * z - w * y), out[7] = 2.0 * (y * z + w * x), out[8] = 1.0 - 2.0 * (x * x + y * y);
}

/* out = a b; `out` must be neither a nor b */
static inline void multiply(const double *restrict a, const double *restrict b, double *restrict out) {
    for (int i = 0; i < 9; i += 3) {
        double x = a[i], y = a[i + 1], z = a[i + 2];
        out[i] = x * b[0] + y * b[3] + z * b[6];
        out[i + 1] = x * b[1] + y * b[4] + z * b[7];
        out[i + 2] = x * b[2] + y * b[5] + z * b[8];
    }
}

/* Frame in the world of `inner`, which is given in `outer`; `out` must be neither of them. */
static inline void compose(const double *restrict outer, const double *restrict inner, double *restrict out) {
    multiply(outer, inner, out);
    rotate(outer, inner + 9, out + 9);
    out[9] += outer[9], out[10] += outer[10], out[11] += outer[11];
}

/* The value moved to between the bounds; `upper` takes precedence. */
static inline double clamped(double value, double lower, double upper) {
    double above = value > lower ? value : lower;
    return above < upper ? above : upper;
}

static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

#endif
