#include "bones_model.h"

#include <string.h>

#include "ball_angles.h"
#include "tree.h"
#include "turns.h"

#define MARK UINT64_C(0x6c696d6265726234) /* "limberb4" in ASCII: marks a prepared model */

const struct bones *bones_in(const void *memory) {
    const struct bones *bones = memory;
    if (!bones || ((uintptr_t)memory & 15) || bones->mark != MARK || bones->self != memory) return NULL;
    return bones;
}

static int counts_fit(const struct limber_bones *b) {
    return b && b->joints >= 1 && b->joints <= MOST_JOINTS && b->bones >= 0 && b->bones <= b->joints && b->ends >= 1 &&
           b->ends <= MOST_ENDS;
}

/* Takes the arrays from `memory`; returns their size [bytes], also if `memory` is NULL. */
static size_t laid_out(struct bones *bones, char *memory, const struct limber_bones *b) {
    struct pieces pieces = {memory, 0};
    size_t n = (size_t)b->joints;
    take(&pieces, 1, sizeof *bones);
    bones->tree.joint = take(&pieces, n, sizeof *bones->tree.joint);
    bones->tree.end = take(&pieces, (size_t)b->ends, sizeof *bones->tree.end);
    bones->tree.moves = take(&pieces, n * n, 1);
    bones->bone = take(&pieces, (size_t)b->bones, sizeof *bones->bone);
    bones->ball_at = take(&pieces, n, sizeof *bones->ball_at);
    bones->spot_of = take(&pieces, n, sizeof *bones->spot_of);
    bones->slides = take(&pieces, n, sizeof *bones->slides);
    bones->sizes = take(&pieces, (size_t)b->ends, sizeof *bones->sizes);
    return pieces.bytes;
}

size_t limber_bones_bytes(const struct limber_bones *described) {
    struct bones bones;
    return counts_fit(described) ? laid_out(&bones, NULL, described) : 0;
}

/* Whether the coordinates of a bone are revolute joints in order, and those of a ball one after the other. */
static int bone_fits(const struct limber_bones *b, int number) {
    const int32_t *joint = b->bone_joints + MOST_OF_A_BONE * number;
    int count = 0;
    while (count < MOST_OF_A_BONE && joint[count] != -1) count++;
    for (int i = 0; i < count; i++) {
        if (joint[i] < 0 || joint[i] >= b->joints || b->prismatic[joint[i]] || (i && joint[i] <= joint[i - 1])) return 0;
        if (b->is_ball[number] && i && (joint[i] != joint[i - 1] + 1 || b->parents[joint[i]] != joint[i - 1])) return 0;
    }
    for (int i = count; i < MOST_OF_A_BONE; i++)
        if (joint[i] != -1) return 0;
    return b->is_ball[number] ? count == MOST_OF_A_BONE : count > 0;
}

/* LIMBER_OK, or the code of the first error in the input. */
static int32_t checked(const struct limber_bones *b) {
    size_t n = (size_t)b->joints, k = (size_t)b->bones;
    if (!is_within(&b->reach, 1, LARGEST) || !is_within(b->rests, 12 * n, LARGEST) || !is_within(b->axes, 3 * n, 2.0) ||
        !is_within(b->slides, n, LARGEST) || !is_within(b->bone_axes, 9 * k, 2.0) || !is_within(b->costs, 9 * k, LARGEST) ||
        !is_within(b->end_frames, 12 * (size_t)b->ends, LARGEST) || !is_within(b->sizes, (size_t)b->ends, LARGEST))
        return LIMBER_NOT_FINITE;
    if (b->reach <= 0.0) return LIMBER_SIZE;
    for (int i = 0; i < b->joints; i++)
        if (b->parents[i] < -1 || b->parents[i] >= i || !(b->lower[i] <= b->upper[i]) || b->slides[i] < 0.0)
            return LIMBER_JOINT;
    for (int i = 0; i < b->bones; i++)
        if (!bone_fits(b, i)) return LIMBER_JOINT;
    for (int i = 0; i < b->ends; i++)
        if (b->end_joints[i] < 0 || b->end_joints[i] >= b->joints) return LIMBER_JOINT;
    return LIMBER_OK;
}

/* Copies the bones, and numbers those that are solved as balls. */
static void write_bones(struct bones *bones, const struct limber_bones *b) {
    for (int i = 0; i < b->joints; i++) bones->ball_at[i] = -1, bones->spot_of[i] = i;
    for (int i = 0; i < b->bones; i++) {
        struct bone *bone = &bones->bone[i];
        const int32_t *joint = b->bone_joints + MOST_OF_A_BONE * i;
        bone->count = 0;
        while (bone->count < MOST_OF_A_BONE && joint[bone->count] != -1)
            bone->joint[bone->count] = joint[bone->count], bone->count++;
        memcpy(bone->axes, b->bone_axes + 9 * i, sizeof bone->axes);
        memcpy(bone->cost, b->costs + 9 * i, sizeof bone->cost);
        bone->ball = b->is_ball[i] ? bones->balls++ : -1;
        if (bone->ball < 0) continue;
        bones->ball_at[joint[0]] = bone->ball;
        bones->spot_of[joint[1]] = bones->spot_of[joint[2]] = joint[0];
    }
}

int32_t limber_bones(void *memory, size_t bytes, const struct limber_bones *described) {
    struct bones *bones = memory;
    if (!memory || ((uintptr_t)memory & 15) || !counts_fit(described) || bytes < limber_bones_bytes(described))
        return LIMBER_SIZE;
    int32_t error = checked(described);
    if (error) return error;
    struct model *tree = &bones->tree;
    memset(bones, 0, sizeof *bones);
    laid_out(bones, memory, described);
    bones->self = memory;
    bones->count = described->bones;
    tree->joints = described->joints, tree->ends = described->ends, tree->reach = described->reach;
    for (int i = 0; i < tree->joints; i++) {
        struct joint *joint = &tree->joint[i];
        prepare_joint(joint, described->parents[i], described->prismatic[i], described->rests + 12 * i,
                      described->axes + 3 * i);
        joint->lower = described->lower[i], joint->upper = described->upper[i];
        joint->scale = joint->prismatic ? tree->reach : 1.0;
    }
    prepare_moves(tree);
    for (int i = 0; i < tree->ends; i++) {
        tree->end[i].joint = described->end_joints[i];
        memcpy(tree->end[i].frame, described->end_frames + 12 * i, sizeof tree->end[i].frame);
    }
    memcpy(bones->slides, described->slides, sizeof *bones->slides * (size_t)tree->joints);
    memcpy(bones->sizes, described->sizes, sizeof *bones->sizes * (size_t)described->ends);
    write_bones(bones, described);
    bones->mark = MARK;
    return LIMBER_OK;
}

void bones_forward(const struct bones *bones, const struct configuration *at, double *frames, double *axes) {
    const struct model *tree = &bones->tree;
    for (int i = 0; i < tree->joints; i++) {
        const struct joint *joint = &tree->joint[i];
        const double *parent = joint->parent < 0 ? NULL : frames + 12 * joint->parent;
        if (bones->ball_at[i] < 0) {
            joint_frame(joint, at->values[i], parent, frames + 12 * i, axes + 3 * i);
            continue;
        }
        ball_frame(joint, at->balls + 9 * bones->ball_at[i], parent, frames + 12 * i);
        for (int k = 0; k < MOST_OF_A_BONE; k++) {
            if (k) memcpy(frames + 12 * (i + k), frames + 12 * i, 12 * sizeof *frames);
            axis_of(frames + 12 * i, k, axes + 3 * (i + k));
        }
        i += MOST_OF_A_BONE - 1;
    }
}

/* A joint's value clamped to its limits. */
static double within(const struct bones *bones, int i, double value) {
    return clamped(value, bones->tree.joint[i].lower, bones->tree.joint[i].upper);
}

void configured(const struct bones *bones, const double *angles, struct configuration *out) {
    for (int i = 0; i < bones->tree.joints; i++) out->values[i] = within(bones, i, angles[i]);
    for (int k = 0; k < bones->count; k++) {
        const struct bone *bone = &bones->bone[k];
        if (bone->ball >= 0) ball_rotation(bone->axes, angles + bone->joint[0], out->balls + 9 * bone->ball);
    }
}

void copy_configuration(const struct bones *bones, const struct configuration *from, struct configuration *to) {
    memcpy(to->values, from->values, sizeof *to->values * (size_t)bones->tree.joints);
    memcpy(to->balls, from->balls, 9 * sizeof *to->balls * (size_t)bones->balls);
}

void moved_by(const struct bones *bones, const struct configuration *at, const double *step, struct configuration *out) {
    double turn[9];
    for (int i = 0; i < bones->tree.joints; i++) {
        int ball = bones->ball_at[i];
        if (ball >= 0) {
            exponential(step + i, turn);
            multiply(at->balls + 9 * ball, turn, out->balls + 9 * ball);
            for (int k = 0; k < MOST_OF_A_BONE; k++) out->values[i + k] = at->values[i + k];
            i += MOST_OF_A_BONE - 1;
        } else {
            out->values[i] = within(bones, i, at->values[i] + step[i]);
        }
    }
}

void deviation_of(const struct bones *bones, const struct configuration *authored, const struct configuration *solved,
                  double *deviation) {
    int n = bones->tree.joints;
    for (int i = 0; i < n; i++) deviation[i] = solved->values[i] - authored->values[i];
    for (int k = 0; k < bones->balls; k++) {
        double *turn = deviation + n + 9 * k;
        multiply_from_back(authored->balls + 9 * k, solved->balls + 9 * k, turn);
        make_orthonormal(turn);
    }
}

void extrapolated(const struct bones *bones, const struct configuration *authored, const double *deviation,
                  const double *before, struct configuration *out) {
    int n = bones->tree.joints;
    for (int i = 0; i < n; i++) {
        double ahead = before ? 2.0 * deviation[i] - before[i] : deviation[i];
        out->values[i] = within(bones, i, authored->values[i] + ahead);
    }
    for (int k = 0; k < bones->balls; k++) {
        const double *last = deviation + n + 9 * k;
        double since[9], ahead[9];
        if (before) {
            multiply_back(last, before + n + 9 * k, since);
            multiply(since, last, ahead);
        } else {
            memcpy(ahead, last, sizeof ahead);
        }
        multiply(authored->balls + 9 * k, ahead, out->balls + 9 * k);
    }
}

void angles_of(const struct bones *bones, const struct configuration *at, const double *near, double *angles) {
    memcpy(angles, at->values, sizeof *angles * (size_t)bones->tree.joints);
    for (int k = 0; k < bones->count; k++) {
        const struct bone *bone = &bones->bone[k];
        if (bone->ball >= 0)
            ball_angles(bone->axes, at->balls + 9 * bone->ball, near + bone->joint[0], angles + bone->joint[0]);
    }
}
