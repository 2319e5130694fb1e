#include "tree.h"

#include "vectors.h"

void forward(const struct model *model, const double *angles, double *frames, double *axes) {
    for (int i = 0; i < model->joints; i++) {
        const struct joint *joint = &model->joint[i];
        double local[12], *frame = frames + 12 * i;
        for (int k = 0; k < 12; k++) local[k] = joint->rest[k];
        if (joint->prismatic) {
            add_scaled(angles[i], joint->slide, local + 9);
        } else {
            double sine = sin(angles[i]), versine = 1.0 - cos(angles[i]);
            for (int k = 0; k < 9; k++) local[k] += sine * joint->sine[k] + versine * joint->versine[k];
        }
        if (joint->parent < 0)
            for (int k = 0; k < 12; k++) frame[k] = local[k];
        else
            compose(frames + 12 * joint->parent, local, frame);
        rotate(frame, joint->axis, axes + 3 * i);
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
