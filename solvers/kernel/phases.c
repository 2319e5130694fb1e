#include "phases.h"

#include <string.h>

/* Algorithm 10: roll each basis after link `k` about its parent's direction; `flip` (a roll by pi) reverses the signs of
 * the bends. */
static void propagate_roll_up(const struct chain *chain, int k, double roll, Quaternion *bases, double *angles,
                              int flip) {
    for (int j = k + 1; j < chain->count; j++) {
        bases[j] = multiply(bases[j], about(chain->models[j].parent, roll));
        if (flip && !is_twister(chain, j)) angles[j] = -angles[j];
    }
}

/* Lines 26 to 33: roll everything after link `k` until the link's own axis agrees with its child's basis.
 * The paper prints the child's axis, with which twisters in the middle of the chain are rolled away. */
static void roll_children(const struct chain *chain, int k, Quaternion basis, Quaternion *bases, double *angles) {
    const JointModel *model = &chain->models[k];
    Vector direction = rotate(bases[k + 1], model->segment);
    Vector own = rotate(basis, model->axis), childs = rotate(bases[k + 1], model->axis);
    if (is_twister(chain, k + 1)) {
        if (dot(own, childs) < 0.0) propagate_roll_up(chain, k, PI, bases, angles, 1);
        return;
    }
    own = reject(own, direction), childs = reject(childs, direction);
    /* The paper prints the opposite condition, but without a projection there is no angle to measure. */
    if (length(own) <= SAME_ANGLE || length(childs) <= SAME_ANGLE) return;
    double roll = signed_angle(childs, own, direction);
    if (fabs(roll) > SAME_ANGLE) propagate_roll_up(chain, k, roll, bases, angles, fabs(roll) > PI - SAME_ANGLE);
}

void forward_phase(const struct chain *chain, const Quaternion *posture_bases, Quaternion target, double edge_offset,
                   int end_from_target, double *angles, Quaternion *bases) {
    int end = chain->count - 1;
    memcpy(bases, posture_bases, sizeof *bases * (size_t)chain->count);
    bases[end + 1] = target;
    for (int k = 0; k <= end; k++) angles[k] = 0.0;
    for (int k = end; k >= 0; k--) {
        const JointModel *model = &chain->models[k];
        Quaternion basis = posture_bases[k]; /* the result of lines 2 to 9 of the forward phase */
        if (k < end) roll_children(chain, k, basis, bases, angles);
        Quaternion child = bases[k + 1];
        double angle, other;
        if (is_twister(chain, k)) /* yaw and roll of Algorithm 11 are about the same axis: together they are the twist */
            angle = safe_twist(model, twist_angle(multiply(conjugate(basis), child), model->axis));
        else
            local_swing(model, rotate(conjugate(basis), rotate(child, model->segment)), &angle, &other);
        if (edge_offset != 0.0) angle = off_edge(model, angle, edge_offset);
        angles[k] = angle;
        /* FinishForward; the printed QDiff nearly doubles the error */
        bases[k] = k < end || end_from_target ? multiply(child, conjugate(rotation(model, angle))) : basis;
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
static Quaternion roll_child(const struct chain *chain, int k, Quaternion basis, Quaternion child, double child_angle) {
    const JointModel *twister = &chain->models[k], *model = &chain->models[k + 1];
    if (is_twister(chain, k + 1) || fabs(dot(model->axis, twister->axis)) > SAME_ANGLE) return child;
    Vector direction = rotate(multiply(child, rotation(model, child_angle)), model->segment);
    Vector desired = cross(rotate(basis, twister->axis), direction);
    Vector axis = reject(rotate(child, model->axis), direction);
    if (length(desired) <= SAME_ANGLE || length(axis) <= SAME_ANGLE) return child;
    double roll = signed_angle(axis, unit(desired), direction);
    if (fabs(roll) > 0.5 * PI) roll -= copysign(PI, roll);
    return multiply(about(direction, roll), child);
}

/* Lines 11 to 24 of Algorithm 15: of two angles at the desired latitude the one nearer to `desired`, else to the child's
 * link. */
static double swing(const struct chain *chain, int k, Quaternion basis, const Quaternion *bases, Vector desired,
                    const double *angles) {
    const JointModel *model = &chain->models[k];
    double angle, other;
    local_swing(model, rotate(conjugate(basis), desired), &angle, &other);
    if (k == chain->count - 1) return angle;
    Vector link = rotate(multiply(basis, rotation(model, angle)), model->segment);
    Vector other_link = rotate(multiply(basis, rotation(model, other)), model->segment);
    double gain = dot(other_link, desired) - dot(link, desired);
    if (fabs(gain) <= SAME_ANGLE) {
        Quaternion child = multiply(bases[k + 1], rotation(&chain->models[k + 1], angles[k + 1]));
        Vector child_link = rotate(child, model->segment);
        gain = dot(other_link, child_link) - dot(link, child_link);
    }
    return gain > SAME_ANGLE ? other : angle;
}

/* A hinge whose parent is a twister, in the backward phase. */
struct twisted {
    const JointModel *model, *parent;
    Quaternion parent_basis, child;
    Vector desired; /* direction of the link */
    Vector local;   /* the segment's direction in the parent's basis */
};

/* The twist of the parent that brings the link, bent by `bend`, onto the desired direction. */
static double twist_for(const struct twisted *twisted, double bend) {
    const JointModel *parent = twisted->parent;
    Vector across = reject(rotate(rotation(twisted->model, bend), twisted->model->segment), parent->axis);
    Vector wanted_across = reject(twisted->local, parent->axis);
    /* straight chain: only the child's roll determines the twist */
    if (length(across) <= SAME_ANGLE || length(wanted_across) <= SAME_ANGLE)
        return twist_angle(multiply(conjugate(twisted->parent_basis), twisted->child), parent->axis);
    return signed_angle(across, wanted_across, parent->axis);
}

static double agreement(const struct twisted *twisted, double twist, double bend) {
    Quaternion local = multiply(rotation(twisted->parent, twist), rotation(twisted->model, bend));
    return fabs(dot_quaternions(multiply(twisted->parent_basis, local), twisted->child));
}

/* Lines 25 to 38 of Algorithm 15: the parent twister's angle, within limits, and the link's. The opposite bend with the
 * parent half a rotation further is equivalent: the one within limits that rolls the child least is used. */
static double twist_parent(const struct twisted *twisted, double *angle) {
    double first = 0.0, second = 0.0, other = 0.0, twist = twist_for(twisted, *angle);
    int fits = within(twisted->parent, twist, &first);
    if (opposite(twisted->model, *angle, &other) && within(twisted->parent, twist_for(twisted, other), &second) &&
        (!fits || agreement(twisted, second, other) > agreement(twisted, first, *angle) + SAME_ANGLE)) {
        *angle = other;
        return second;
    }
    return fits ? first : safe_angle(twisted->parent, twist);
}

void backward_phase(const struct chain *chain, const double *angles, const Quaternion *bases, const Quaternion *target,
                    int symmetric, double *solved, Quaternion *solved_bases) {
    int end = chain->count - 1;
    Quaternion basis = IDENTITY, parent_basis = IDENTITY;
    memcpy(solved, angles, sizeof *solved * (size_t)chain->count);
    for (int k = 0; k <= end; k++) {
        const JointModel *model = &chain->models[k];
        Quaternion child = bases[k + 1];
        if (is_twister(chain, k)) {
            if (k < end) {
                child = roll_child(chain, k, basis, child, solved[k + 1]);
                solved[k] = safe_twist(model, twist_angle(multiply(conjugate(basis), child), model->axis));
            } else if (target) {
                solved[k] = end_twist(model, basis, *target, symmetric, 0.0);
            }
        } else {
            Vector desired = rotate(child, model->segment);
            solved[k] = swing(chain, k, basis, bases, desired, angles);
            if (k > 0 && is_twister(chain, k - 1)) {
                struct twisted twisted = {model,  model - 1, parent_basis, child,
                                          desired, rotate(conjugate(parent_basis), desired)};
                solved[k - 1] = twist_parent(&twisted, &solved[k]);
                basis = multiply(parent_basis, rotation(model - 1, solved[k - 1]));
            }
        }
        solved_bases[k] = parent_basis = basis;
        basis = multiply(basis, rotation(model, solved[k]));
    }
    solved_bases[end + 1] = basis;
}
