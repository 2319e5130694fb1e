/* Future goals, extrapolated from their velocities. Source: solvers/expressive/prediction.py. */
#include <string.h>

#include "aims.h"
#include "vectors.h"

#define LASTING 0.55       /* [s] in which a goal's velocity decreases by a factor of e */
#define NO_DIRECTION 1e-12 /* solvers/tolerances.py */

/* Rotation (9) by a vector [rad]. */
static void rotation_of(const double *vector, double *rotation) {
    double angle = sqrt(dot(vector, vector)), sine = sin(angle), versine = 1.0 - cos(angle), axis[3];
    for (int i = 0; i < 3; i++) axis[i] = vector[i] / angle;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) rotation[3 * i + j] = versine * axis[i] * axis[j] + (i == j) * (1.0 - versine);
    rotation[1] -= sine * axis[2], rotation[2] += sine * axis[1], rotation[3] += sine * axis[2];
    rotation[5] -= sine * axis[0], rotation[6] -= sine * axis[1], rotation[7] += sine * axis[0];
}

/* The aim after a time [s] at constant velocity. */
static void extrapolate(struct limber_aim *aim, const struct limber_velocity *moving, double time) {
    int parts = (int)aim->parts;
    double vector[3] = {time * moving->turn[0], time * moving->turn[1], time * moving->turn[2]}, turn[9], turned[9];
    if (sqrt(dot(vector, vector)) > NO_DIRECTION) {
        rotation_of(vector, turn);
        multiply(turn, aim->rotation, turned);
        memcpy(aim->rotation, turned, sizeof turned);
        if (parts & LIMBER_DIRECTION) rotate(turn, aim->view, aim->view);
    }
    if (parts & LIMBER_POSITION) add_scaled(time, moving->drift, aim->position);
    if (parts & LIMBER_POINT) add_scaled(time, moving->drift, aim->view);
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
