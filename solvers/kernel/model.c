#include "model.h"

#include <string.h>

#include "vectors.h"

#define MARK UINT64_C(0x6c696d6265722031) /* "limber 1" in ASCII: marks a prepared model */

int32_t limber_version(void) { return LIMBER_VERSION; }

int is_within(const double *numbers, size_t count, double largest) {
    for (size_t i = 0; i < count; i++)
        if (!(fabs(numbers[i]) <= largest)) return 0;
    return 1;
}

const struct model *model_in(const void *memory) {
    const struct model *model = memory;
    if (!model || ((uintptr_t)memory & (ALIGNMENT - 1)) || model->mark != MARK || model->self != memory) return NULL;
    return model;
}

static int counts_fit(const struct limber_skeleton *s) {
    return s && s->joints >= 1 && s->joints <= MOST_JOINTS && s->directions >= 1 && s->directions <= MOST_DIRECTIONS &&
           s->ends >= 1 && s->ends <= MOST_ENDS;
}

/* Takes the arrays from `memory`; returns their size [bytes], also if `memory` is NULL. */
static size_t laid_out(struct model *model, char *memory, const struct limber_skeleton *s) {
    struct pieces pieces = {memory, 0};
    size_t n = (size_t)s->joints;
    take(&pieces, 1, sizeof *model);
    model->joint = take(&pieces, n, sizeof *model->joint);
    model->direction = take(&pieces, (size_t)s->directions, sizeof *model->direction);
    model->end = take(&pieces, (size_t)s->ends, sizeof *model->end);
    model->moves = take(&pieces, n * n, 1);
    return pieces.bytes;
}

size_t limber_model_bytes(const struct limber_skeleton *skeleton) {
    struct model model;
    return counts_fit(skeleton) ? laid_out(&model, NULL, skeleton) : 0;
}

/* LIMBER_OK, or the code of the first error in the input. */
static int32_t checked(const struct limber_skeleton *s) {
    size_t n = (size_t)s->joints, l = (size_t)s->directions, e = (size_t)s->ends;
    double settings[2] = {s->reach, s->transition_speed};
    if (!is_within(settings, 2, LARGEST) || !is_within(s->rests, 12 * n, LARGEST) || !is_within(s->axes, 3 * n, 2.0) ||
        !is_within(s->lower, n, FARTHEST) || !is_within(s->upper, n, FARTHEST) ||
        !is_within(s->vectors, 3 * l, LARGEST) || !is_within(s->weights, l, LARGEST) ||
        !is_within(s->end_frames, 12 * e, LARGEST))
        return LIMBER_NOT_FINITE;
    if (s->reach <= 0.0 || s->transition_speed <= 0.0) return LIMBER_SIZE;
    for (int i = 0; i < s->joints; i++)
        if (s->parents[i] < -1 || s->parents[i] >= i || s->lower[i] > s->upper[i]) return LIMBER_JOINT;
    for (int i = 0; i < s->directions; i++)
        if (s->carriers[i] < 0 || s->carriers[i] >= s->joints || s->slides[i] < -1 || s->slides[i] >= s->joints ||
            s->weights[i] <= 0.0 || (s->slides[i] >= 0 && !s->prismatic[s->slides[i]]))
            return LIMBER_JOINT;
    for (int i = 0; i < s->ends; i++)
        if (s->end_joints[i] < 0 || s->end_joints[i] >= s->joints) return LIMBER_JOINT;
    return LIMBER_OK;
}

/* Rodrigues: the rotation about a unit axis a is 1 + sin(q) S + (1 - cos(q)) S^2 with S b = a x b. */
void prepare_joint(struct joint *joint, int parent, int prismatic, const double *rest, const double *a) {
    const double spin[9] = {0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0};
    joint->parent = parent;
    joint->prismatic = prismatic != 0;
    memcpy(joint->rest, rest, sizeof joint->rest);
    memset(joint->sine, 0, sizeof joint->sine);
    memset(joint->versine, 0, sizeof joint->versine);
    memset(joint->slide, 0, sizeof joint->slide);
    copy3(a, joint->axis);
    if (joint->prismatic) {
        rotate(joint->rest, a, joint->slide);
    } else {
        multiply(joint->rest, spin, joint->sine);
        multiply(joint->sine, spin, joint->versine);
    }
}

void prepare_moves(struct model *model) {
    size_t n = (size_t)model->joints;
    for (size_t i = 0; i < n; i++) {
        uint8_t *moves = model->moves + i * n;
        if (model->joint[i].parent >= 0)
            memcpy(moves, model->moves + (size_t)model->joint[i].parent * n, n);
        else
            memset(moves, 0, n);
        moves[i] = 1;
    }
}

int32_t limber_model(void *memory, size_t bytes, const struct limber_skeleton *skeleton) {
    struct model *model = memory;
    if (!memory || ((uintptr_t)memory & (ALIGNMENT - 1)) || !counts_fit(skeleton) ||
        bytes < limber_model_bytes(skeleton))
        return LIMBER_SIZE;
    int32_t error = checked(skeleton);
    if (error) return error;
    int n = skeleton->joints;
    laid_out(model, memory, skeleton);
    model->self = memory;
    model->joints = n, model->directions = skeleton->directions, model->ends = skeleton->ends;
    model->hold_body = skeleton->hold_body != 0;
    model->reach = skeleton->reach, model->transition_speed = skeleton->transition_speed;
    for (int i = 0; i < n; i++) {
        struct joint *joint = &model->joint[i];
        prepare_joint(joint, skeleton->parents[i], skeleton->prismatic[i], skeleton->rests + 12 * i,
                      skeleton->axes + 3 * i);
        joint->lower = skeleton->lower[i], joint->upper = skeleton->upper[i];
        joint->scale = joint->prismatic ? skeleton->reach : 1.0;
    }
    prepare_moves(model);
    for (int i = 0; i < model->directions; i++) {
        struct direction *direction = &model->direction[i];
        direction->carrier = skeleton->carriers[i], direction->slide = skeleton->slides[i];
        direction->weight = skeleton->weights[i];
        copy3(skeleton->vectors + 3 * i, direction->vector);
    }
    for (int i = 0; i < model->ends; i++) {
        model->end[i].joint = skeleton->end_joints[i];
        memcpy(model->end[i].frame, skeleton->end_frames + 12 * i, sizeof model->end[i].frame);
    }
    model->mark = MARK;
    return LIMBER_OK;
}
