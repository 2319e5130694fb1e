#include "bones_problem.h"

#include <string.h>

#include "aims.h"
#include "tolerances.h"
#include "tree.h"
#include "turns.h"

#define ROLL_COST 1.0       /* weight of an end's squared roll (solvers/bones/problem.py) */
#define SMALLEST_ANGLE 1e-3 /* [rad] below it the Jacobian's factor counts as constant (solvers/bones/model.py) */

static const double BASE_ROTATION[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

/* Rotation (9) of a bone in its parent's frame; for a ball, relative to its rest pose. */
static void orientation_of(const struct bones *bones, const struct bone *bone, const struct configuration *at,
                           const double *frames, double *orientation) {
    if (bone->ball >= 0) {
        memcpy(orientation, at->balls + 9 * bone->ball, 9 * sizeof *orientation);
        return;
    }
    int parent = bones->tree.joint[bone->joint[0]].parent;
    const double *outer = parent < 0 ? BASE_ROTATION : frames + 12 * parent;
    multiply_from_back(outer, frames + 12 * bone->joint[bone->count - 1], orientation);
}

/* Writes the direction of an end that is level in the authored pose and should stay level. Source:
   solvers/bones/level.py. */
static void author_level(const struct bones_problem *problem, const double *frames, const struct limber_aim *aim,
                         struct level *level) {
    const struct end *end = &problem->bones->tree.end[(int)aim->end];
    double up[3], x[3], z[3];
    level->joint = -1;
    if (!((int)aim->parts & LIMBER_LEVEL) || ((int)aim->parts & LIMBER_UPRIGHT)) return;
    level->joint = end->joint;
    copy3(aim->level, level->up);
    rotate_back(frames + 12 * end->joint, level->up, up); /* up in the frame that carries the end */
    axis_of(end->frame, 0, x);
    axis_of(end->frame, 2, z);
    double along = dot(up, z), across = dot(up, x);
    for (int i = 0; i < 3; i++) level->direction[i] = along * x[i] - across * z[i];
}

void author_bones(struct bones_problem *problem, const double *reference, double *frames, double *axes) {
    const struct bones *bones = problem->bones;
    configured(bones, reference, &problem->authored);
    bones_forward(bones, &problem->authored, frames, axes);
    for (int k = 0; k < bones->count; k++)
        orientation_of(bones, &bones->bone[k], &problem->authored, frames, problem->orientations + 9 * k);
    for (int i = 0; i < problem->goal.aims; i++)
        author_level(problem, frames, &problem->goal.aim[i], &problem->level[i]);
}

void evaluate_bones_aim(const struct bones_problem *problem, const struct configuration *at, struct pose *aim) {
    bones_forward(problem->bones, at, aim->frames, aim->axes);
    evaluate_aims(&problem->bones->tree, &problem->goal, 0.0, aim);
}

/* Derivative (9) of a rotation vector v [rad] of angle a with respect to a rotation in the rotated frame:
 * 1 + S / 2 + (1 - a / 2 cot(a / 2)) / a^2 S^2 with S b = v x b. */
static void inverse_right_jacobian(const double *v, double *derivative) {
    double square = dot(v, v), angle = larger(sqrt(square), SMALLEST_ANGLE), half = 0.5 * angle;
    double factor = (1.0 - half / tan(half)) / (angle * angle);
    const double spin[9] = {0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            derivative[3 * i + j] =
                (i == j) + 0.5 * spin[3 * i + j] + factor * (v[i] * v[j] - (i == j ? square : 0.0));
}

/* Adds the cost of one bone's rotation vector from the authored pose, and its derivatives with respect to
   the bone's joints. */
static void add_bone(const struct bones_problem *problem, int number, struct evaluated *out) {
    const struct bones *bones = problem->bones;
    const struct bone *bone = &bones->bone[number];
    size_t n = (size_t)bones->tree.joints;
    double orientation[9], turn[9], vector[3], derivative[9], weighted[4][3], columns[4][3];
    orientation_of(bones, bone, &out->at, out->aim.frames, orientation);
    multiply_from_back(problem->orientations + 9 * number, orientation, turn);
    logarithm(turn, vector);
    inverse_right_jacobian(vector, derivative);
    for (int i = 0; i < bone->count; i++) {
        double axis[3];
        if (bone->ball >= 0) {
            axis_of(derivative, i, columns[i]);
        } else {
            rotate_back(out->aim.frames + 12 * bone->joint[bone->count - 1], out->aim.axes + 3 * bone->joint[i], axis);
            rotate(derivative, axis, columns[i]);
        }
        rotate(bone->cost, columns[i], weighted[i]);
    }
    rotate(bone->cost, vector, weighted[3]);
    for (int i = 0; i < bone->count; i++) {
        size_t row = (size_t)bone->joint[i];
        for (int j = 0; j <= i; j++) out->matrix[row * n + (size_t)bone->joint[j]] = dot(columns[i], weighted[j]);
        out->descent[row] = -dot(columns[i], weighted[3]);
    }
    out->secondary += 0.5 * dot(vector, weighted[3]);
}

/* Adds the cost of one end's roll, whose residual is the upward component of a direction. */
static void add_level(const struct bones_problem *problem, const struct level *level, struct evaluated *out) {
    const struct model *tree = &problem->bones->tree;
    size_t n = (size_t)tree->joints;
    if (level->joint < 0) return;
    const uint8_t *moves = tree->moves + (size_t)level->joint * n;
    double direction[3], slope[3];
    rotate(out->aim.frames + 12 * level->joint, level->direction, direction);
    cross(direction, level->up, slope);
    double residual = dot(level->up, direction);
    for (size_t i = 0; i < n; i++) {
        if (!moves[i] || tree->joint[i].prismatic) continue;
        double entry = dot(out->aim.axes + 3 * i, slope);
        for (size_t j = 0; j <= i; j++)
            if (moves[j] && !tree->joint[j].prismatic)
                out->matrix[i * n + j] += ROLL_COST * entry * dot(out->aim.axes + 3 * j, slope);
        out->descent[i] -= ROLL_COST * residual * entry;
    }
    out->secondary += 0.5 * ROLL_COST * residual * residual;
}

/* Adds the cost of the distance of one end from the point that it looks at. Source: solvers/bones/nearness.py. */
static void add_nearness(const struct bones_problem *problem, const struct limber_aim *aim, struct evaluated *out) {
    const struct model *tree = &problem->bones->tree;
    const struct pose *pose = &out->aim;
    size_t n = (size_t)tree->joints;
    int number = (int)aim->end;
    const uint8_t *moves = tree->moves + (size_t)tree->end[number].joint * n;
    double end[12], away[3], size = problem->bones->sizes[number];
    if (!((int)aim->parts & LIMBER_POINT)) return;
    end_frame(tree, pose->frames, number, end);
    subtract(end + 9, aim->view, away);
    double distance = larger(sqrt(dot(away, away)), NO_DIRECTION * size);
    if (distance >= size) return;
    double residual = log(size / distance), square = distance * distance, velocity[3];
    for (size_t i = 0; i < n; i++) {
        if (!moves[i]) continue;
        velocity_of(tree, pose->frames, pose->axes, (int)i, end + 9, velocity);
        double entry = dot(velocity, away) / square;
        for (size_t j = 0; j <= i; j++) {
            if (!moves[j]) continue;
            velocity_of(tree, pose->frames, pose->axes, (int)j, end + 9, velocity);
            out->matrix[i * n + j] += entry * (dot(velocity, away) / square);
        }
        out->descent[i] += residual * entry;
    }
    out->secondary += 0.5 * residual * residual;
}

void evaluate_bones(const struct bones_problem *problem, struct evaluated *out) {
    const struct bones *bones = problem->bones;
    size_t n = (size_t)bones->tree.joints;
    evaluate_bones_aim(problem, &out->at, &out->aim);
    memset(out->matrix, 0, sizeof *out->matrix * n * n);
    out->secondary = 0.0;
    for (size_t i = 0; i < n; i++) out->descent[i] = 0.0;
    for (int k = 0; k < bones->count; k++) add_bone(problem, k, out);
    for (size_t i = 0; i < n; i++) {
        double displacement = out->at.values[i] - problem->authored.values[i];
        out->matrix[i * n + i] += bones->slides[i];
        out->descent[i] -= bones->slides[i] * displacement;
        out->secondary += 0.5 * bones->slides[i] * displacement * displacement;
    }
    for (int i = 0; i < problem->goal.aims; i++) {
        add_level(problem, &problem->level[i], out);
        add_nearness(problem, &problem->goal.aim[i], out);
    }
}

int has_view(const struct bones_problem *problem) {
    int parts = (int)problem->goal.aim->parts;
    return (parts & (LIMBER_DIRECTION | LIMBER_POINT)) && !(parts & LIMBER_ORIENTATION);
}

/* A view y that joint j rotates about its axis b, and joint i nearer the base about a, has the second derivative
 * a x (b x y). Along a pull p perpendicular to y that is -(a . y) (b . p). Joints of a ball have no order. */
void add_curvature(const struct bones_problem *problem, const struct pose *aim, const double *forces, double *matrix) {
    const struct bones *bones = problem->bones;
    const struct model *tree = &bones->tree;
    const struct limber_aim *first = problem->goal.aim;
    size_t n = (size_t)tree->joints;
    const uint8_t *moves = tree->moves + (size_t)tree->end[(int)first->end].joint * n;
    double end[12], view[3], pull[3];
    end_frame(tree, aim->frames, (int)first->end, end);
    for (int i = 0; i < 3; i++) {
        view[i] = end[3 * i + 1];
        pull[i] = first->weight * (end[3 * i + 2] * forces[0] - end[3 * i] * forces[1]);
    }
    for (size_t i = 0; i < n; i++) {
        if (!moves[i] || tree->joint[i].prismatic) continue;
        double along = dot(aim->axes + 3 * i, view), across = dot(aim->axes + 3 * i, pull);
        for (size_t j = 0; j <= i; j++) {
            if (!moves[j] || tree->joint[j].prismatic) continue;
            double outer = dot(aim->axes + 3 * j, view) * across; /* joint j is nearer to the base */
            if (bones->spot_of[i] == bones->spot_of[j])
                outer = 0.5 * (outer + along * dot(aim->axes + 3 * j, pull));
            matrix[i * n + j] -= outer;
        }
    }
}
