/* Future goals, extrapolated from their velocities. Source: solvers/expressive/prediction.py. */
#include "aims.h"
#include "rotations.h"

#define LASTING 0.55       /* [s] time in which a goal's velocity decreases by a factor of e */

/* Moves a position at constant velocity for a time [s]. */
static void move(double time, const double *velocity, double *position) {
    for (int i = 0; i < 3; i++) position[i] += time * velocity[i];
}

/* The aim after a time [s] at constant velocity. */
static void extrapolate(struct limber_aim *aim, const struct limber_velocity *moving, double time) {
    int parts = (int)aim->parts;
    Vector vector = scale(vector_of(moving->turn), time);
    double angle = length(vector), *q = aim->orientation, *view = aim->view;
    if (angle > NO_DIRECTION) {
        Quaternion turn = about(scale(vector, 1.0 / angle), angle);
        Quaternion turned = multiply(turn, quaternion_of(q));
        q[0] = turned.w, q[1] = turned.x, q[2] = turned.y, q[3] = turned.z;
        Vector seen = rotate(turn, vector_of(view));
        if (parts & LIMBER_DIRECTION) view[0] = seen.x, view[1] = seen.y, view[2] = seen.z;
    }
    if (parts & LIMBER_POSITION) move(time, moving->drift, aim->position);
    if (parts & LIMBER_POINT) move(time, moving->drift, view);
}

int32_t limber_forecast(const struct limber_aim *aim, const struct limber_velocity *moving, int32_t aims,
                        const double *times, int32_t count, struct limber_aim *goals) {
    if (!aim || !moving || !times || !goals || aims < 1 || aims > MOST_AIMS || count < 1 || count > MOST_CANDIDATES)
        return LIMBER_SIZE;
    if (!is_within((const double *)aim, (size_t)aims * (sizeof *aim / sizeof(double)), LARGEST) ||
        !is_within((const double *)moving, (size_t)aims * (sizeof *moving / sizeof(double)), LARGEST) ||
        !is_within(times, (size_t)count, LARGEST))
        return LIMBER_NOT_FINITE;
    for (int i = 0; i < count; i++) {
        double lasting = LASTING * (1.0 - exp(-times[i] / LASTING));
        for (int k = 0; k < aims; k++, goals++) {
            *goals = aim[k];
            if (times[i] > 0.0) extrapolate(goals, &moving[k], lasting);
        }
    }
    return LIMBER_OK;
}
