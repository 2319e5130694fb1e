#include "phases.h"

#include <string.h>

/* Algorithm 10: roll each basis after link `k` about its parent's direction; `flip` (a roll by pi) reverses the signs of
 * the bends. */
static void propagate_roll_up(const struct chain *chain, int k, double roll, int flip, struct hung *hung) {
    double cosine = cos(0.5 * roll), sine = sin(0.5 * roll);
    for (int j = k + 1; j < chain->count; j++) {
        struct joint_angle *joint = &hung->joints[j];
        hung->bases[j] = multiply(hung->bases[j], with_half(chain->models[j].parent, cosine, sine));
        if (flip && !is_twister(chain, j)) *joint = (struct joint_angle){-joint->angle, conjugate(joint->rotation)};
    }
}

/* Lines 26 to 33: roll everything after link `k` until the link's own axis agrees with its child's basis.
 * The paper prints the child's axis, with which twisters in the middle of the chain are rolled away. */
static void roll_children(const struct chain *chain, int k, Quaternion basis, struct hung *hung) {
    const JointModel *model = &chain->models[k];
    Quaternion child = hung->bases[k + 1];
    Vector direction = rotate(child, model->segment);
    Vector own = rotate(basis, model->axis), childs = rotate(child, model->axis);
    if (is_twister(chain, k + 1)) {
        if (dot(own, childs) < 0.0) propagate_roll_up(chain, k, PI, 1, hung);
        return;
    }
    own = reject(own, direction), childs = reject(childs, direction);
    /* The paper prints the opposite condition, but without a projection there is no angle to measure. */
    if (length(own) <= SAME_ANGLE || length(childs) <= SAME_ANGLE) return;
    double roll = signed_angle(childs, own, direction);
    if (fabs(roll) > SAME_ANGLE) propagate_roll_up(chain, k, roll, fabs(roll) > PI - SAME_ANGLE, hung);
}

void forward_phase(const struct chain *chain, const Quaternion *posture_bases, Quaternion target, double edge_offset,
                   int end_from_target, struct hung *hung) {
    int end = chain->count - 1;
    hung->bases[end + 1] = target;
    for (int k = end; k >= 0; k--) {
        const JointModel *model = &chain->models[k];
        Quaternion basis = posture_bases[k]; /* the result of lines 2 to 9 of the forward phase */
        if (k < end) roll_children(chain, k, basis, hung);
        Quaternion child = hung->bases[k + 1];
        double angle;
        if (is_twister(chain, k)) /* yaw and roll of Algorithm 11 are about the same axis: together they are the twist */
            angle = safe_twist(model, twist_angle(multiply(conjugate(basis), child), model->axis));
        else
            local_swing(model, rotate(conjugate(basis), rotate(child, model->segment)), &angle, NULL);
        if (edge_offset != 0.0) angle = off_edge(model, angle, edge_offset);
        hung->joints[k] = at_angle(model, angle);
        /* FinishForward; the printed QDiff nearly doubles the error */
        hung->bases[k] = k < end || end_from_target ? multiply(child, conjugate(hung->joints[k].rotation)) : basis;
    }
}

double end_twist(const JointModel *model, Quaternion basis, Quaternion target, int symmetric, double before) {
    double twist = twist_angle(multiply(conjugate(basis), target), model->axis);
    double best = 0.0, least_error = INFINITY, least_change = INFINITY;
    for (int roll = 0; roll <= (symmetric != 0); roll++) {
        double desired = roll ? twist + PI : twist, safe = safe_angle(model, desired);
        double error = fabs(wrap(safe - desired)), change = fabs(safe - before);
        if (error <= SAME_ANGLE) error = 0.0;
        if (error < least_error || (error == least_error && change < least_change))
            best = safe, least_error = error, least_change = change;
    }
    return best;
}

/* BackwardChildRoll (Algorithm 16): the child's basis rolled about its link until its axis is perpendicular to the
 * twister's, by the smaller of the two rolls; only that of a hinge perpendicular to its parent. */
static Quaternion roll_child(const struct chain *chain, int k, Quaternion basis, const struct hung *hung) {
    const JointModel *twister = &chain->models[k], *model = &chain->models[k + 1];
    Quaternion child = hung->bases[k + 1];
    if (is_twister(chain, k + 1) || fabs(dot(model->axis, twister->axis)) > SAME_ANGLE) return child;
    Vector direction = rotate(multiply(child, hung->joints[k + 1].rotation), model->segment);
    Vector desired = cross(rotate(basis, twister->axis), direction);
    Vector axis = reject(rotate(child, model->axis), direction);
    if (length(desired) <= SAME_ANGLE || length(axis) <= SAME_ANGLE) return child;
    double roll = signed_angle(axis, desired, direction);
    if (fabs(roll) > 0.5 * PI) roll -= copysign(PI, roll);
    return multiply(about(direction, roll), child);
}

/* Lines 11 to 24 of Algorithm 15: of two angles at the desired latitude the one nearer to `desired`, else to the child's
 * link. */
static struct joint_angle swing(const struct chain *chain, int k, Quaternion basis, const struct hung *hung,
                                Vector desired) {
    const JointModel *model = &chain->models[k];
    double angle, other_angle;
    Vector local = rotate(conjugate(basis), desired);
    local_swing(model, local, &angle, &other_angle);
    struct joint_angle first = at_angle(model, angle);
    if (k == chain->count - 1 || other_angle == angle) return first;
    struct joint_angle other = at_angle(model, other_angle);
    /* all in the joint's frame */
    Vector link = rotate(first.rotation, model->segment), other_link = rotate(other.rotation, model->segment);
    double gain = dot(other_link, local) - dot(link, local);
    if (fabs(gain) <= SAME_ANGLE) {
        Quaternion child_link = multiply(hung->bases[k + 1], hung->joints[k + 1].rotation);
        Vector local_child = rotate(conjugate(basis), rotate(child_link, model->segment));
        gain = dot(other_link, local_child) - dot(link, local_child);
    }
    return gain > SAME_ANGLE ? other : first;
}

/* A hinge whose parent is a twister, in the backward phase. */
struct twisted {
    const JointModel *model, *parent;
    Quaternion parent_basis, child;
    Vector desired; /* direction of the link in the parent's basis, across the parent's axis */
};

/* The twist of the parent that brings the link, bent by `bend`, onto the desired direction. */
static double twist_for(const struct twisted *twisted, Quaternion bend) {
    const JointModel *parent = twisted->parent;
    Vector across = reject(rotate(bend, twisted->model->segment), parent->axis);
    /* straight chain: only the child's roll determines the twist */
    if (length(across) <= SAME_ANGLE || length(twisted->desired) <= SAME_ANGLE)
        return twist_angle(multiply(conjugate(twisted->parent_basis), twisted->child), parent->axis);
    return signed_angle(across, twisted->desired, parent->axis);
}

/* Cosine of half the angle between the link's basis after a twist and a bend, and the desired one. */
static double agreement(const struct twisted *twisted, Quaternion twist, Quaternion bend) {
    return fabs(dot_quaternions(multiply(twisted->parent_basis, multiply(twist, bend)), twisted->child));
}

/* Lines 25 to 38 of Algorithm 15: the parent twister's angle, within limits, and the link's. The opposite bend with the
 * parent half a rotation further is equivalent: the one within limits that rolls the child least is used. */
static struct joint_angle twist_parent(const struct twisted *twisted, struct joint_angle *link) {
    const JointModel *parent = twisted->parent;
    double angle, twist = twist_for(twisted, link->rotation);
    int fits = within(parent, twist, &angle);
    struct joint_angle first = at_angle(parent, fits ? angle : safe_angle(parent, twist));
    if (!opposite(twisted->model, link->angle, &angle)) return first;
    struct joint_angle other = at_angle(twisted->model, angle);
    if (!within(parent, twist_for(twisted, other.rotation), &angle)) return first;
    struct joint_angle second = at_angle(parent, angle);
    if (fits && !(agreement(twisted, second.rotation, other.rotation) >
                  agreement(twisted, first.rotation, link->rotation) + SAME_ANGLE))
        return first;
    *link = other;
    return second;
}

void backward_phase(const struct chain *chain, const struct hung *hung, const Quaternion *target, int symmetric,
                    struct chain_pose *solved) {
    int end = chain->count - 1;
    Quaternion *bases = solved->bases;
    for (int k = 0; k <= end; k++) {
        const JointModel *model = &chain->models[k];
        struct joint_angle *joint = &solved->joints[k];
        Quaternion child = hung->bases[k + 1];
        if (!is_twister(chain, k)) {
            Vector desired = rotate(child, model->segment);
            *joint = swing(chain, k, bases[k], hung, desired);
            if (k > 0 && is_twister(chain, k - 1)) {
                const JointModel *parent = model - 1;
                Vector local = rotate(conjugate(bases[k - 1]), desired);
                struct twisted twisted = {model, parent, bases[k - 1], child, reject(local, parent->axis)};
                joint[-1] = twist_parent(&twisted, joint);
                bases[k] = multiply(bases[k - 1], joint[-1].rotation);
            }
        } else if (k < end) {
            child = roll_child(chain, k, bases[k], hung);
            *joint = at_angle(model, safe_twist(model, twist_angle(multiply(conjugate(bases[k]), child), model->axis)));
        } else {
            *joint = target ? at_angle(model, end_twist(model, bases[k], *target, symmetric, 0.0)) : hung->joints[k];
        }
        bases[k + 1] = multiply(bases[k], joint->rotation);
    }
    solved->known = chain->count;
}
