#include "tree.h"

#include "vectors.h"

void joint_frame(const struct joint *restrict joint, double value, const double *restrict parent,
                 double *restrict frame, double *restrict axis) {
    double local[12];
    for (int k = 0; k < 12; k++) local[k] = joint->rest[k];
    if (joint->prismatic) {
        add_scaled(value, joint->slide, local + 9);
    } else {
        double sine = sin(value), versine = 1.0 - cos(value);
        for (int k = 0; k < 9; k++) local[k] += sine * joint->sine[k] + versine * joint->versine[k];
    }
    if (parent)
        compose(parent, local, frame);
    else
        for (int k = 0; k < 12; k++) frame[k] = local[k];
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
