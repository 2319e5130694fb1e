#include "ball_angles.h"

#include "tolerances.h"
#include "turns.h"

#define NEAR_GIMBAL 1e-6 /* cosine of the middle angle below which the outer axes count as one (bones/ball_angles.py) */

/* The rotation by an angle [rad] about an axis. */
static void turned(const double *axis, double angle, double *turn) {
    double vector[3] = {axis[0] * angle, axis[1] * angle, axis[2] * angle};
    exponential(vector, turn);
}

void ball_rotation(const double *axes, const double *angles, double *rotation) {
    double first[9], second[9], third[9], both[9];
    turned(axes, angles[0], first);
    turned(axes + 3, angles[1], second);
    turned(axes + 6, angles[2], third);
    multiply(first, second, both);
    multiply(both, third, rotation);
}

/* Angle [rad] of the first joint if it rotates about the same axis as the last one, which is at the angle
   `third`. */
static double first_alone(const double *axes, double sense, const double *rotation, double third) {
    double back[9], middle[3];
    turned(axes + 6, -third, back);
    rotate(back, axes + 3, middle);
    rotate(rotation, middle, middle); /* the middle axis after the rotations of the first two joints */
    return atan2(sense * dot(axes + 6, middle), dot(axes + 3, middle));
}

/* Adds to three angles `way` the full rotations that bring them nearest to `near` (3); returns the sum of the remaining
 * differences [rad]. */
static double brought_near(const double *near, double *way) {
    double left = 0.0;
    for (int i = 0; i < 3; i++) {
        way[i] -= TAU * rint((way[i] - near[i]) / TAU);
        left += fabs(way[i] - near[i]);
    }
    return left;
}

/* With axes a, b, c and s = a . (b x c): a . R c = s sin(second), b . R c = -s cos(second) sin(first) and a . R b =
 * -s cos(second) sin(third). Where the first and the last joint rotate about one axis, the last stays as in `near`. */
void ball_angles(const double *axes, const double *rotation, const double *near, double *angles) {
    double half[9], entries[9], normal[3]; /* the rotation in the frame of the axes */
    multiply(axes, rotation, half);
    multiply_back(half, axes, entries);
    cross(axes + 3, axes + 6, normal);
    double sense = dot(axes, normal), cosine = hypot(entries[5], entries[8]); /* cosine: cosine of the middle angle */
    double second = atan2(sense * entries[2], cosine), first = atan2(-sense * entries[5], entries[8]);
    double third = atan2(-sense * entries[1], entries[0]);
    if (cosine < NEAR_GIMBAL) { /* the outer joints rotate about one axis */
        third = near[2];
        first = first_alone(axes, sense, rotation, third);
    }
    double way[3] = {first, second, third}, other[3] = {first + PI, PI - second, third + PI};
    double left = brought_near(near, way);
    copy3(brought_near(near, other) < left ? other : way, angles);
}
