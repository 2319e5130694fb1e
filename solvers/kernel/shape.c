#include "shape.h"

#include <string.h>

#include "tolerances.h"
#include "tree.h"
#include "vectors.h"

#define SHORTEST_LINK 1e-6   /* [m] length below which a link counts as having no direction (kinematics/skeleton.py) */
#define ROLL_SHARE 4.0       /* weight of the roll relative to the mean of all directions (expressive/shape.py) */
#define SYMMETRIC 6          /* entries of a symmetric matrix: xx, yx, yy, zx, zy, zz */

size_t shape_scratch(const struct model *model) {
    /* Numbers for each joint: S_j, the torque of its directions, S_j a_j, and its share in the rotation about the
     * base's axis. */
    return (size_t)model->joints * (SYMMETRIC + 3 + 3 + 1);
}

void evaluate_directions(const struct model *model, const double *angles, struct pose *pose) {
    for (int i = 0; i < model->directions; i++) {
        const struct direction *direction = &model->direction[i];
        double *d = pose->directions + 3 * i, *slide = pose->slides + 3 * i;
        rotate(pose->frames + 12 * direction->carrier, direction->vector, d);
        slide[0] = slide[1] = slide[2] = 0.0;
        if (direction->slide < 0) continue;
        const double *axis = pose->axes + 3 * direction->slide;
        add_scaled(angles[direction->slide], axis, d);
        double size = larger(sqrt(dot(d, d)), SHORTEST_LINK);
        for (int k = 0; k < 3; k++) d[k] /= size;
        double along = dot(axis, d);
        for (int k = 0; k < 3; k++) slide[k] = (axis[k] - d[k] * along) / size;
    }
}

void author(const struct model *model, const struct pose *posture, struct authored *authored) {
    const double *axis = posture->axes;
    for (int i = 0; i < model->directions; i++) {
        const double *d = posture->directions + 3 * i;
        double *parts = authored->parts + 9 * i, along = dot(d, axis);
        for (int k = 0; k < 3; k++) {
            parts[3 + k] = d[k] - along * axis[k];
            parts[k] = d[k] - parts[3 + k];
        }
        cross(axis, parts + 3, parts + 6);
    }
    for (int i = 0; i < model->ends; i++)
        multiply(posture->frames + 12 * model->end[i].joint, model->end[i].frame, authored->end_axes + 9 * i);
}

/* Whether an aim prefers the posture's roll and prescribes none. */
static int prefers_roll(const struct limber_aim *aim) {
    int parts = (int)aim->parts;
    return (parts & LIMBER_LEVEL) && !(parts & LIMBER_UPRIGHT) && (parts & (LIMBER_DIRECTION | LIMBER_POINT));
}

void prepare_rolls(const struct authored *authored, struct goal *goal) {
    goal->has_rolls = 0;
    for (int i = 0; i < goal->aims; i++) {
        if (!prefers_roll(&goal->aim[i])) continue;
        double up[3];
        rotate_back(authored->end_axes + 9 * (int)goal->aim[i].end, goal->aim[i].level, up);
        goal->roll[i].sine = up[0], goal->roll[i].cosine = up[2];
        goal->has_rolls = 1;
    }
}

/* Cosine and sine of the difference of an end's roll from the posture's, times both sines from up to the view; returns
 * the product of these sines. */
static double roll_difference(const struct model *model, const struct goal *goal, int index, const struct pose *pose,
                              double *cosine, double *sine, double *view) {
    const struct limber_aim *aim = &goal->aim[index];
    const struct roll *roll = &goal->roll[index];
    double end[12], up[3];
    end_frame(model, pose->frames, (int)aim->end, end);
    rotate_back(end, aim->level, up);
    axis_of(end, 1, view);
    *cosine = up[2] * roll->cosine + up[0] * roll->sine;
    *sine = up[0] * roll->cosine - up[2] * roll->sine;
    double most = hypot(*cosine, *sine);
    if (aim->symmetric != 0.0) { /* the nearer of the roll and the opposite one */
        *sine *= copysign(1.0, *cosine);
        *cosine = fabs(*cosine);
    }
    return most;
}

void fit(const struct model *model, const struct authored *authored, const struct goal *goal, struct pose *pose) {
    double sums[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < model->directions; i++) {
        const double *parts = authored->parts + 9 * i, *d = pose->directions + 3 * i;
        for (int k = 0; k < 3; k++) sums[k] += model->direction[i].weight * dot(parts + 3 * k, d);
    }
    for (int k = 0; k < 3; k++) sums[k] /= model->directions;
    double size = hypot(sums[1], sums[2]);
    pose->turn[0] = 1.0, pose->turn[1] = 0.0;
    if (!model->hold_body && size > NO_DIRECTION) pose->turn[0] = sums[1] / size, pose->turn[1] = sums[2] / size;
    pose->cosine = sums[0] + sums[1] * pose->turn[0] + sums[2] * pose->turn[1];
    for (int i = 0; goal->has_rolls && i < goal->aims; i++) {
        double cosine, sine, view[3];
        if (!prefers_roll(&goal->aim[i])) continue;
        double most = roll_difference(model, goal, i, pose, &cosine, &sine, view);
        pose->cosine -= ROLL_SHARE * (most - cosine);
    }
}

/* Writes the product of a symmetric matrix (its lower triangle, row by row) and a vector. */
static void times_symmetric(const double *s, const double *a, double *out) {
    out[0] = s[0] * a[0] + s[1] * a[1] + s[3] * a[2];
    out[1] = s[1] * a[0] + s[2] * a[1] + s[4] * a[2];
    out[2] = s[3] * a[0] + s[4] * a[1] + s[5] * a[2];
}

/* s += weight (1 - d d') */
static void add_inertia(double weight, const double *d, double *s) {
    s[0] += weight * (1.0 - d[0] * d[0]);
    s[1] -= weight * d[1] * d[0];
    s[2] += weight * (1.0 - d[1] * d[1]);
    s[3] -= weight * d[2] * d[0];
    s[4] -= weight * d[2] * d[1];
    s[5] += weight * (1.0 - d[2] * d[2]);
}

void add_shape(const struct model *model, const struct authored *authored, const struct goal *goal,
               const struct pose *pose, double share, double *matrix, double *descent, double *scratch) {
    int n = model->joints;
    double *inertias = scratch, *torques = inertias + SYMMETRIC * n, *moments = torques + 3 * n,
           *together = moments + 3 * n, whole[SYMMETRIC] = {0}, scale = share * authored->keep;
    memset(scratch, 0, sizeof *scratch * (size_t)(SYMMETRIC + 3) * (size_t)n);
    memset(together, 0, sizeof *together * (size_t)n);
    for (int i = 0; i < model->directions; i++) {
        const double *parts = authored->parts + 9 * i, *d = pose->directions + 3 * i;
        double desired[3], torque[3], weight = model->direction[i].weight;
        int carrier = model->direction[i].carrier;
        for (int k = 0; k < 3; k++) desired[k] = parts[k] + pose->turn[0] * parts[3 + k] + pose->turn[1] * parts[6 + k];
        cross(d, desired, torque);
        add_inertia(weight, d, inertias + SYMMETRIC * carrier);
        add_scaled(weight, torque, torques + 3 * carrier);
        if (model->direction[i].slide >= 0) { /* derivative with respect to the prismatic joint at which it ends */
            int k = model->direction[i].slide;
            const double *slide = pose->slides + 3 * i;
            double lever[3];
            cross(d, slide, lever); /* a . (d x slide) = (a x d) . slide */
            matrix[(size_t)k * (size_t)n + (size_t)k] += scale * weight * dot(slide, slide);
            descent[k] += scale * weight * dot(slide, desired);
            together[k] += weight * dot(pose->axes, lever);
            const uint8_t *moves = model->moves + (size_t)carrier * (size_t)n;
            for (int j = 0; j < n; j++)
                if (moves[j] && !model->joint[j].prismatic) {
                    size_t row = (size_t)(j > k ? j : k), column = (size_t)(j > k ? k : j);
                    matrix[row * (size_t)n + column] += scale * weight * dot(pose->axes + 3 * j, lever);
                }
        }
    }
    for (int j = n - 1; j >= 0; j--) { /* from the ends to the base */
        int parent = model->joint[j].parent;
        double *up = parent < 0 ? whole : inertias + SYMMETRIC * parent;
        for (int k = 0; k < SYMMETRIC; k++) up[k] += inertias[SYMMETRIC * j + k];
        if (parent >= 0) add_scaled(1.0, torques + 3 * j, torques + 3 * parent);
    }
    for (int j = 0; j < n; j++) {
        if (model->joint[j].prismatic) continue;
        double *moment = moments + 3 * j;
        times_symmetric(inertias + SYMMETRIC * j, pose->axes + 3 * j, moment);
        descent[j] += scale * dot(pose->axes + 3 * j, torques + 3 * j);
        together[j] += dot(pose->axes, moment);
        for (int i = j; i >= 0; i = model->joint[i].parent)
            if (!model->joint[i].prismatic)
                matrix[(size_t)j * (size_t)n + (size_t)i] += scale * dot(pose->axes + 3 * i, moment);
    }
    if (!model->hold_body) {
        double moment[3];
        times_symmetric(whole, pose->axes, moment);
        double lever = scale / larger(dot(pose->axes, moment), NO_DIRECTION);
        for (int j = 0; j < n; j++)
            for (int i = 0; i <= j; i++)
                matrix[(size_t)j * (size_t)n + (size_t)i] -= lever * together[j] * together[i];
    }
    for (int index = 0; goal->has_rolls && index < goal->aims; index++) {
        double cosine, sine, view[3], weight = scale * ROLL_SHARE * model->directions;
        if (!prefers_roll(&goal->aim[index])) continue;
        double most = roll_difference(model, goal, index, pose, &cosine, &sine, view);
        int carrier = model->end[(int)goal->aim[index].end].joint;
        for (int j = carrier; j >= 0; j = model->joint[j].parent) {
            if (model->joint[j].prismatic) continue;
            double column = dot(pose->axes + 3 * j, view);
            descent[j] += weight * sine * column;
            for (int i = j; i >= 0; i = model->joint[i].parent)
                if (!model->joint[i].prismatic)
                    matrix[(size_t)j * (size_t)n + (size_t)i] +=
                        weight * most * column * dot(pose->axes + 3 * i, view);
        }
    }
}
