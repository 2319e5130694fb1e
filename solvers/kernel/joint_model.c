#include "joint_model.h"

/* Hemisphere of a vector in the joint's frame: 1 on the side of the parent's orthogonal axis (POA, eq. 17), else -1. */
static double hemisphere(const JointModel *model, Vector target) {
    return dot(target, model->parent_orthogonal_axis) < 0.0 ? -1.0 : 1.0;
}

/* Latitude of a unit vector in the joint's frame (eq. 16): 1 along the parent's segment, 0 opposite to it. */
static double latitude(const JointModel *model, Vector target) { return 0.5 * (dot(target, model->parent) + 1.0); }

/* Half the difference of the two angles, without limits, at which the segment has this latitude or the nearest possible
 * one. */
static double half_opening(const JointModel *model, double level) {
    double cosine = (2.0 * level - 1.0 - model->level) / model->swing;
    return acos(cosine < -1.0 ? -1.0 : cosine > 1.0 ? 1.0 : cosine);
}

void local_swing(const JointModel *model, Vector target, double *angle, double *other) {
    if (model->has_latitude == 0.0) {
        *angle = safe_angle(
            model, signed_angle(reject(model->segment, model->axis), reject(target, model->axis), model->axis));
        if (other) *other = *angle;
        return;
    }
    double opening = hemisphere(model, target) * half_opening(model, latitude(model, target));
    *angle = safe_angle(model, model->zero + opening);
    if (other) *other = safe_angle(model, model->zero - opening);
}

int opposite(const JointModel *model, double angle, double *second) {
    return model->has_latitude != 0.0 && within(model, 2.0 * model->zero - angle, second);
}

int within(const JointModel *model, double angle, double *safe) {
    double lowest = model->lower - SAME_ANGLE, highest = model->upper + SAME_ANGLE;
    angle = wrap(angle);
    if (angle < lowest) angle += TAU * ceil((lowest - angle) / TAU);
    else if (angle > highest) angle -= TAU * ceil((angle - highest) / TAU);
    if (!(angle >= lowest && angle <= highest)) return 0;
    *safe = angle < model->lower ? model->lower : angle > model->upper ? model->upper : angle;
    return 1;
}

double safe_angle(const JointModel *model, double angle) {
    double safe;
    if (within(model, angle, &safe)) return safe;
    double to_lower = fabs(wrap(angle - model->lower)), to_upper = fabs(wrap(angle - model->upper));
    return to_lower <= to_upper ? model->lower : model->upper;
}

double safe_twist(const JointModel *model, double angle) {
    double safe;
    return within(model, angle, &safe) || within(model, angle + PI, &safe) ? safe : safe_angle(model, angle);
}

double off_edge(const JointModel *model, double angle, double offset) {
    if (model->upper - model->lower <= 2.0 * offset) return angle; /* no room: the joint is practically fixed */
    if (fabs(angle - model->lower) <= SAME_ANGLE) return angle + offset;
    if (fabs(angle - model->upper) <= SAME_ANGLE) return angle - offset;
    return angle;
}
