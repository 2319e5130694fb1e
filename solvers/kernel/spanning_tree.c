#include "spanning_tree.h"

#include <string.h>

#include "turns.h"

void place(const struct carried *carried, const double *frames, double *frame) {
    if (carried->joint < 0)
        memcpy(frame, carried->frame, sizeof carried->frame);
    else
        compose(frames + 12 * carried->joint, carried->frame, frame);
}

/* A joint's frame in its parent's. */
static void local_frame(const struct tree_joint *joint, const double *values, const double *balls, double *local) {
    memcpy(local, joint->joint.rest, sizeof joint->joint.rest);
    if (joint->kind == LIMBER_SPHERICAL) {
        multiply(joint->joint.rest, balls + 9 * joint->ball, local);
    } else if (joint->kind == LIMBER_PRISMATIC) {
        add_scaled(values[joint->first], joint->joint.slide, local + 9);
    } else {
        double sine = sin(values[joint->first]), versine = 1.0 - cos(values[joint->first]);
        for (int k = 0; k < 9; k++) local[k] += sine * joint->joint.sine[k] + versine * joint->joint.versine[k];
    }
}

void tree_forward(const struct mechanism *mechanism, const double *values, const double *balls, double *frames) {
    for (int i = 0; i < mechanism->joints; i++) {
        const struct tree_joint *joint = &mechanism->joint[i];
        double local[12];
        local_frame(joint, values, balls, local);
        if (joint->joint.parent < 0)
            memcpy(frames + 12 * i, local, sizeof local);
        else
            compose(frames + 12 * joint->joint.parent, local, frames + 12 * i);
    }
}

void tree_screws(const struct mechanism *mechanism, const double *frames, double *screws) {
    for (int i = 0; i < mechanism->joints; i++) {
        const struct tree_joint *joint = &mechanism->joint[i];
        const double *frame = frames + 12 * i;
        for (int k = 0; k < joint->width; k++) {
            double *screw = screws + 6 * (joint->first + k);
            if (joint->kind == LIMBER_SPHERICAL)
                axis_of(frame, k, screw);
            else
                rotate(frame, joint->joint.axis, screw);
            if (joint->kind == LIMBER_PRISMATIC) {
                for (int j = 0; j < 3; j++) screw[3 + j] = mechanism->size * screw[j], screw[j] = 0.0;
            } else {
                cross(frame + 9, screw, screw + 3);
            }
        }
    }
}

void tree_moved(const struct mechanism *mechanism, const struct configuration *from, const double *step, double *values,
                double *balls) {
    for (int i = 0; i < mechanism->joints; i++) {
        const struct tree_joint *joint = &mechanism->joint[i];
        int first = joint->first;
        if (joint->kind == LIMBER_SPHERICAL) {
            double turn[9];
            exponential(step + first, turn);
            multiply(from->balls + 9 * joint->ball, turn, balls + 9 * joint->ball);
            copy3(from->values + first, values + first);
        } else {
            values[first] = from->values[first] + step[first] * mechanism->unit[first];
        }
    }
}
