#include "look.h"

/* The unit quaternion of a rotation whose columns are three axes: the candidate built on the largest component loses no
 * digits. */
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
    double size = sqrt(dot_quaternions(q, q));
    return (Quaternion){q.w / size, q.x / size, q.y / size, q.z / size};
}

static Vector column(const double *frame, int axis) { return (Vector){frame[axis], frame[3 + axis], frame[6 + axis]}; }

int upright(Vector direction, Vector up, Quaternion *orientation) {
    Vector z = reject(unit(up), direction);
    if (!(length(z) >= MET)) return 0; /* along the view, or `up` has no direction */
    z = unit(z);
    *orientation = from_axes(cross(direction, z), direction, z);
    return 1;
}

static double whole_angle(Quaternion target, const double *frame, int symmetric) {
    Quaternion end = from_axes(column(frame, 0), column(frame, 1), column(frame, 2));
    return angle_between(nearer_roll(target, end, symmetric), end);
}

struct limber_end_error end_error(const struct look *look, const double *frame, double reach) {
    struct limber_end_error error = {0.0, 0.0, 0};
    if (look->parts & LIMBER_ORIENTATION) {
        error.angle = error.whole = whole_angle(look->orientation, frame, look->symmetric);
        return error;
    }
    if (!(look->parts & (LIMBER_DIRECTION | LIMBER_POINT))) return error;
    Vector direction = look->view;
    if (look->parts & LIMBER_POINT) {
        direction = subtract(direction, (Vector){frame[9], frame[10], frame[11]});
        error.is_at_target = length(direction) <= SAME_ANGLE * reach;
    }
    Quaternion target;
    error.angle = error.whole = vector_angle(column(frame, 1), direction);
    if ((look->parts & LIMBER_UPRIGHT) && length(direction) > NO_DIRECTION &&
        upright(unit(direction), look->up, &target))
        error.whole = whole_angle(target, frame, look->symmetric);
    return error;
}

static Vector vector_of(const double *numbers) { return (Vector){numbers[0], numbers[1], numbers[2]}; }

struct limber_end_error end_error_of_aim(const struct limber_aim *aim, const double *frame, double reach) {
    struct look look = {(int)aim->parts, aim->symmetric != 0.0, IDENTITY, vector_of(aim->view), vector_of(aim->up)};
    if (look.parts & LIMBER_ORIENTATION)
        look.orientation = from_axes(column(aim->rotation, 0), column(aim->rotation, 1), column(aim->rotation, 2));
    return end_error(&look, frame, reach);
}
