/* Residuals of the joints that close loops, their Jacobian, and their true sizes. Source: solvers/mechanism/loops.py;
 * Schumacher, Knoop, Baecher 2021, section III.B. */
#include <string.h>

#include "half_angles.h"
#include "spanning_tree.h"

/* Frames in the world of a closure's two sides. */
static void ends_of(const struct closure *closure, const double *frames, const double *driven, double *parent,
                    double *child) {
    place(&closure->ends[1], frames, child);
    if (closure->driven < 0)
        place(&closure->ends[0], frames, parent);
    else if (driven[13 * closure->driven] != 0.0)
        memcpy(parent, driven + 13 * closure->driven + 1, 12 * sizeof *parent);
    else
        memcpy(parent, child, 12 * sizeof *parent);
}

/* The child's frame in the parent's. */
static void relative(const double *parent, const double *child, double *turn, double *position) {
    double apart[3], back[9];
    subtract(child + 9, parent + 9, apart);
    rotate_back(parent, apart, position);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) back[3 * i + j] = parent[3 * j + i];
    multiply(back, child, turn);
}

/* Residual components (9,), and derivatives (6, 3) of the angular ones by a rotation of the child; those that the closure
 * does not constrain have no meaning. */
static void components_of(const struct closure *closure, const double *turn, const double *position, double *every,
                          double *grows) {
    copy3(position, every);
    if (closure->mask >> FIRST_TURN & 7) half_angle(turn, every + FIRST_TURN, grows);
    if (closure->mask >> FIRST_SWING & 3) {
        double axis[3] = {turn[2], turn[5], turn[8]};
        half_swing(axis, every + FIRST_SWING, grows + 9);
    }
    if (closure->mask >> CROSS & 1) {
        every[CROSS] = turn[1];
        grows[15] = 0.0, grows[16] = turn[7], grows[17] = -turn[4];
    }
}

/* Weight of a component of a gap, which makes positions and rotations comparable. */
static double weight_of(const struct mechanism *mechanism, int component) {
    return component < FIRST_TURN ? 1.0 / mechanism->size : 1.0;
}

void loop_gaps(const struct mechanism *mechanism, const double *frames, const double *driven, double *gap) {
    for (int i = 0; i < mechanism->closures; i++) {
        const struct closure *closure = &mechanism->closure[i];
        double parent[12], child[12], turn[9], position[3], every[COMPONENTS], grows[18];
        ends_of(closure, frames, driven, parent, child);
        relative(parent, child, turn, position);
        components_of(closure, turn, position, every, grows);
        for (int k = 0; k < closure->rows; k++)
            gap[closure->first_row + k] = weight_of(mechanism, closure->component[k]) * every[closure->component[k]];
    }
}

void loop_blocks(const struct mechanism *mechanism, const double *frames, const double *driven, const double *screws,
                 double *blocks) {
    memset(blocks, 0, mechanism->block_count * sizeof *blocks);
    for (int i = 0; i < mechanism->closures; i++) {
        const struct closure *closure = &mechanism->closure[i];
        if (closure->cluster < 0) continue;
        const struct cluster *cluster = &mechanism->cluster[closure->cluster];
        double parent[12], child[12], turn[9], position[3], every[COMPONENTS], grows[18], by_screw[MOST_ROWS][6];
        ends_of(closure, frames, driven, parent, child);
        relative(parent, child, turn, position);
        components_of(closure, turn, position, every, grows);
        for (int k = 0; k < closure->rows; k++) { /* change by the child's velocity: angular, and linear at the origin */
            int component = closure->component[k];
            double weight = weight_of(mechanism, component), axis[3], *row = by_screw[k];
            if (component < FIRST_TURN) {
                axis_of(parent, component, axis);
                cross(child + 9, axis, row);
                copy3(axis, row + 3);
            } else {
                rotate(parent, grows + 3 * (component - FIRST_TURN), row);
                row[3] = row[4] = row[5] = 0.0;
            }
            for (int j = 0; j < 6; j++) row[j] *= weight;
        }
        double *block = blocks + cluster->block + (size_t)closure->block_row * (size_t)cluster->columns;
        for (int k = 0; k < closure->rows; k++, block += cluster->columns)
            for (int j = 0; j < closure->influences; j++) {
                const struct influence *influence = &closure->influence[j];
                const double *screw = screws + 6 * influence->coordinate, *row = by_screw[k];
                block[influence->column] = influence->sign * (dot(row, screw) + dot(row + 3, screw + 3));
            }
    }
}

double closure_size(const struct mechanism *mechanism, int index, const double *frames, const double *driven) {
    const struct closure *closure = &mechanism->closure[index];
    double parent[12], child[12], turn[9], position[3], square = 0.0, size = 0.0;
    ends_of(closure, frames, driven, parent, child);
    relative(parent, child, turn, position);
    for (int k = 0; k < closure->rows; k++) {
        int component = closure->component[k];
        if (component < FIRST_TURN)
            square += position[component] * position[component];
        else if (component == FIRST_TURN)
            size = angle_of(turn);
        else if (component == FIRST_SWING)
            size = larger(size, atan2(sqrt(turn[2] * turn[2] + turn[5] * turn[5]), turn[8]));
        else if (component == CROSS)
            size = larger(size, fabs(asin(clamped(turn[1], -1.0, 1.0))));
    }
    return larger(size, sqrt(square));
}
