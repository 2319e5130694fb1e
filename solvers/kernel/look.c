#include "look.h"

/* The unit quaternion of a rotation whose columns are three axes, computed from its largest component to
 * lose no digits. */
static Quaternion from_axes(Vector x, Vector y, Vector z) {
    const Quaternion candidates[4] = {
        {1.0 + x.x + y.y + z.z, y.z - z.y, z.x - x.z, x.y - y.x},
        {y.z - z.y, 1.0 + x.x - y.y - z.z, y.x + x.y, z.x + x.z},
        {z.x - x.z, y.x + x.y, 1.0 - x.x + y.y - z.z, z.y + y.z},
        {x.y - y.x, z.x + x.z, z.y + y.z, 1.0 - x.x - y.y + z.z},
    };
    const double own[4] = {candidates[0].w, candidates[1].x, candidates[2].y, candidates[3].z};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (own[i] > own[largest]) largest = i;
    Quaternion q = candidates[largest];
    double size = exact_length(q.w, q.x, q.y, q.z);
    return (Quaternion){q.w / size, q.x / size, q.y / size, q.z / size};
}

static Vector column(const double *frame, int axis) { return (Vector){frame[axis], frame[3 + axis], frame[6 + axis]}; }

int upright(Vector direction, Vector up, Quaternion *orientation) {
    Vector z = reject(up, direction);
    if (!(length(z) >= MET)) return 0; /* up is along the view */
    z = unit(z);
    *orientation = from_axes(cross(direction, z), direction, z);
    return 1;
}

/* Angle [rad] between an end and its target orientation; of a symmetric end the nearer roll counts. */
static double whole_angle(Quaternion target, Quaternion end, int symmetric) {
    return angle_between(nearer_roll(target, end, symmetric), end);
}

struct limber_end_error end_error(const struct limber_aim *aim, Quaternion end, Vector position, double reach) {
    struct limber_end_error error = {0.0, 0.0, 0.0, 0.0};
    int parts = (int)aim->parts, symmetric = aim->symmetric != 0.0;
    if (parts & LIMBER_POSITION) error.distance = length(subtract(vector_of(aim->position), position));
    if (parts & LIMBER_ORIENTATION) error.angle = error.whole = whole_angle(quaternion_of(aim->orientation), end, symmetric);
    if (!(parts & (LIMBER_DIRECTION | LIMBER_POINT))) return error;
    Vector direction = vector_of(aim->view);
    if (parts & LIMBER_POINT) {
        direction = subtract(direction, position);
        error.is_at_target = length(direction) <= SAME_ANGLE * reach;
    }
    Quaternion target;
    error.angle = error.whole = vector_angle(rotate(end, Y), direction);
    if ((parts & LIMBER_UPRIGHT) && length(direction) > NO_DIRECTION &&
        upright(unit(direction), vector_of(aim->up), &target))
        error.whole = whole_angle(target, end, symmetric);
    return error;
}

struct limber_end_error end_error_in(const struct limber_aim *aim, const double *frame, double reach) {
    return end_error(aim, from_axes(column(frame, 0), column(frame, 1), column(frame, 2)), vector_of(frame + 9), reach);
}
