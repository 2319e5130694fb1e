#include "tree.h"

#include "vectors.h"

/* Element k of a joint's rotation in its parent's frame. */
static inline double turned(const struct joint *joint, int k, double sine, double versine) {
    return joint->rest[k] + (sine * joint->sine[k] + versine * joint->versine[k]);
}

void joint_frame(const struct joint *restrict joint, double value, const double *restrict parent,
                 double *restrict frame, double *restrict axis) {
    double sine = 0.0, versine = 0.0, position[3];
    copy3(joint->rest + 9, position);
    if (joint->prismatic)
        add_scaled(value, joint->slide, position);
    else
        sine = sin(value), versine = 1.0 - cos(value);
    for (int j = 0; j < 3; j++) { /* a column of the rotation at a time, which stays in registers */
        const double column[3] = {turned(joint, j, sine, versine), turned(joint, 3 + j, sine, versine),
                                  turned(joint, 6 + j, sine, versine)};
        for (int i = 0; i < 3; i++) frame[3 * i + j] = parent ? dot(parent + 3 * i, column) : column[i];
    }
    for (int i = 0; i < 3; i++)
        frame[9 + i] = parent ? dot(parent + 3 * i, position) + parent[9 + i] : position[i];
    rotate(frame, joint->axis, axis);
}

void ball_frame(const struct joint *joint, const double *rotation, const double *parent, double *frame) {
    double local[12];
    multiply(joint->rest, rotation, local);
    copy3(joint->rest + 9, local + 9);
    if (parent)
        compose(parent, local, frame);
    else
        for (int k = 0; k < 12; k++) frame[k] = local[k];
}

void forward(const struct model *model, const double *angles, double *frames, double *axes) {
    for (int i = 0; i < model->joints; i++) {
        const struct joint *joint = &model->joint[i];
        const double *parent = joint->parent < 0 ? NULL : frames + 12 * joint->parent;
        joint_frame(joint, angles[i], parent, frames + 12 * i, axes + 3 * i);
    }
}

void end_frame(const struct model *model, const double *frames, int end, double *frame) {
    compose(frames + 12 * model->end[end].joint, model->end[end].frame, frame);
}

void velocity_of(const struct model *model, const double *frames, const double *axes, int j, const double *point,
                 double *velocity) {
    if (model->joint[j].prismatic) {
        copy3(axes + 3 * j, velocity);
    } else {
        double arm[3];
        subtract(point, frames + 12 * j + 9, arm);
        cross(axes + 3 * j, arm, velocity);
    }
}
