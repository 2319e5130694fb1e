/* Quaternions and vectors by value, with the conventions and the names of solvers/kinematics/rotations.py.
 *
 * A quaternion rotates a vector v by q v q*, so the product p q rotates by q first, then by p. Operations are in the
 * reference's order, so that comparisons of nearly equal numbers are decided alike. `vectors.h` has rotations as matrices.
 */
#ifndef LIMBER_ROTATIONS_H
#define LIMBER_ROTATIONS_H

#include <math.h>

#include "limber.h"
#include "tolerances.h"


typedef struct limber_vector Vector;
typedef struct limber_quaternion Quaternion;

static const Quaternion IDENTITY = {1.0, 0.0, 0.0, 0.0};
static const Vector Y = {0.0, 1.0, 0.0};

static inline Vector vector_of(const double *numbers) { return (Vector){numbers[0], numbers[1], numbers[2]}; }

static inline Quaternion quaternion_of(const double *numbers) {
    return (Quaternion){numbers[0], numbers[1], numbers[2], numbers[3]};
}

static inline double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline Vector cross(Vector a, Vector b) {
    return (Vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline Vector add(Vector a, Vector b) { return (Vector){a.x + b.x, a.y + b.y, a.z + b.z}; }

static inline Vector subtract(Vector a, Vector b) { return (Vector){a.x - b.x, a.y - b.y, a.z - b.z}; }

static inline Vector scale(Vector a, double factor) { return (Vector){a.x * factor, a.y * factor, a.z * factor}; }

static inline double length(Vector a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

/* Length of four numbers to the last bit, as Python's math.hypot: squares are summed with their rounding errors (Dekker
 * 1971, "A floating-point technique for extending the available precision"). */
static inline double exact_length(double x, double y, double z, double w) {
    const double numbers[4] = {x, y, z, w}, splitter = 134217729.0; /* 2^27 + 1 */
    double sum = 0.0, lost = 0.0;
    for (int i = 0; i < 4; i++) {
        double a = numbers[i], square = a * a, wide = splitter * a, high = wide - (wide - a), low = a - high;
        double next = sum + square, added = next - sum;
        lost += ((high * high - square) + 2.0 * high * low) + low * low;
        lost += (sum - (next - added)) + (square - added);
        sum = next;
    }
    double root = sqrt(sum + lost), wide = splitter * root, high = wide - (wide - root), low = root - high;
    double rest = (((sum - high * high) - 2.0 * high * low) - low * low) + lost;
    return root > 0.0 ? root + rest / (2.0 * root) : root;
}

/* The vector scaled to length 1; its length must be above 0. */
static inline Vector unit(Vector a) {
    double size = exact_length(a.x, a.y, a.z, 0.0);
    return (Vector){a.x / size, a.y / size, a.z / size};
}

/* The part of `a` that is perpendicular to the unit vector `axis`. */
static inline Vector reject(Vector a, Vector axis) {
    double along = dot(a, axis);
    return (Vector){a.x - along * axis.x, a.y - along * axis.y, a.z - along * axis.z};
}

/* Angle [rad] in 0..pi between two vectors of any length. */
static inline double vector_angle(Vector a, Vector b) { return atan2(length(cross(a, b)), dot(a, b)); }

/* Angle [rad] from `a` to `b`, positive for a right-handed rotation about `axis`. */
static inline double signed_angle(Vector a, Vector b, Vector axis) {
    Vector normal = cross(a, b);
    double size = atan2(length(normal), dot(a, b));
    return dot(axis, normal) < 0.0 ? -size : size;
}

static inline Quaternion multiply(Quaternion p, Quaternion q) {
    return (Quaternion){p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}

static inline Quaternion conjugate(Quaternion q) { return (Quaternion){q.w, -q.x, -q.y, -q.z}; }

static inline double dot_quaternions(Quaternion p, Quaternion q) {
    return p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
}

static inline Vector rotate(Quaternion q, Vector v) {
    double tx = 2.0 * (q.y * v.z - q.z * v.y);
    double ty = 2.0 * (q.z * v.x - q.x * v.z);
    double tz = 2.0 * (q.x * v.y - q.y * v.x);
    return (Vector){v.x + q.w * tx + q.y * tz - q.z * ty, v.y + q.w * ty + q.z * tx - q.x * tz,
                    v.z + q.w * tz + q.x * ty - q.y * tx};
}

/* Quaternion of a rotation about the unit vector `axis`, from the cosine and sine of half its angle. */
static inline Quaternion with_half(Vector axis, double cosine, double sine) {
    return (Quaternion){cosine, axis.x * sine, axis.y * sine, axis.z * sine};
}

/* Quaternion of a rotation by `angle` [rad] about the unit vector `axis`. */
static inline Quaternion about(Vector axis, double angle) {
    return with_half(axis, cos(0.5 * angle), sin(0.5 * angle));
}

/* Angle [rad] in 0..pi of the rotation from `p` to `q`. */
static inline double angle_between(Quaternion p, Quaternion q) {
    Quaternion turn = multiply(conjugate(p), q);
    return 2.0 * atan2(sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), fabs(turn.w));
}

/* The angle modulo full rotations, in -pi..pi. */
static inline double wrap(double angle) {
    if (fabs(angle) <= PI) return angle;
    return fabs(angle) < TAU ? angle - copysign(TAU, angle) : remainder(angle, TAU); /* one rotation less: exact as well */
}

/* Angle [rad] in -pi..pi of the twist of `q` about the unit vector `axis`; 0 if `q` reverses the axis. */
static inline double twist_angle(Quaternion q, Vector axis) {
    double along = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    return along != 0.0 || q.w != 0.0 ? wrap(2.0 * atan2(along, q.w)) : 0.0;
}

/* The target or, for a symmetric end, the target rolled by pi about its own Y, whichever is nearer to the
 * end's orientation; if both are equally near, the one that a roll by +pi / 2 brings to the end's roll
 * (`rolls.nearer_roll`). */
static inline Quaternion nearer_roll(Quaternion target, Quaternion end, int symmetric) {
    if (!symmetric) return target;
    Quaternion turn = multiply(conjugate(target), end);
    double w = fabs(turn.w), y = fabs(turn.y);
    int rolled = fabs(y - w) > SAME_ANGLE ? y > w : turn.w * turn.y < 0.0;
    return rolled ? multiply(target, (Quaternion){0.0, 0.0, 1.0, 0.0}) : target;
}

#endif
