#include "body.h"

#include <string.h>

#include "vectors.h"

#define MARK UINT64_C(0x6c696d6265726233) /* "limberb3" in ASCII: marks a prepared model */

const struct body *body_in(const void *memory) {
    const struct body *body = memory;
    if (!body || ((uintptr_t)memory & 15) || body->mark != MARK || body->self != memory) return NULL;
    return body;
}

static int counts_fit(const struct limber_body *b) {
    return b && b->joints >= 0 && b->joints <= MOST_JOINTS && b->turning >= 0 && b->turning <= MOST_ENDS &&
           b->placed >= 0 && b->placed <= MOST_ENDS && b->couplings >= 0 && b->couplings <= MOST_JOINTS &&
           b->levels >= 1 && b->levels <= 2 * MOST_ENDS && b->contacts >= 0 && b->contacts <= MOST_ENDS;
}

size_t body_rows(int couplings, int contacts, int levels, int turning, int placed) {
    return (size_t)couplings + 6 * (size_t)contacts + (levels > 1 ? 3 * (size_t)(turning + placed) : 0);
}

/* Takes the arrays from `memory`; returns their size [bytes], also if `memory` is NULL. */
static size_t laid_out(struct body *body, char *memory, const struct limber_body *b) {
    struct pieces pieces = {memory, 0};
    take(&pieces, 1, sizeof *body);
    body->joint = take(&pieces, (size_t)b->joints, sizeof *body->joint);
    body->turned = take(&pieces, (size_t)b->turning, sizeof *body->turned);
    body->positioned = take(&pieces, (size_t)b->placed, sizeof *body->positioned);
    body->row = take(&pieces, (size_t)b->joints, sizeof *body->row);
    body->factors = take(&pieces, (size_t)b->couplings * (size_t)b->joints, sizeof *body->factors);
    body->lowest = take(&pieces, (size_t)b->couplings, sizeof *body->lowest);
    body->highest = take(&pieces, (size_t)b->couplings, sizeof *body->highest);
    return pieces.bytes;
}

size_t limber_body_bytes(const struct limber_body *body) {
    struct body model;
    return counts_fit(body) ? laid_out(&model, NULL, body) : 0;
}

/* Whether the joints and levels of targets' links exist. */
static int links_fit(const struct limber_body *b, const int32_t *joints, const int32_t *levels, int count) {
    for (int i = 0; i < count; i++)
        if (joints[i] < -1 || joints[i] >= b->joints || levels[i] < 0 || levels[i] >= b->levels) return 0;
    return 1;
}

/* LIMBER_OK, or the code of the first error in the input. */
static int32_t checked(const struct limber_body *b) {
    size_t n = (size_t)b->joints;
    if (!is_within(b->rests, 12 * n, LARGEST) || !is_within(b->axes, 3 * n, 2.0) ||
        !is_within(b->turning_ends, 12 * (size_t)b->turning, LARGEST) ||
        !is_within(b->placed_ends, 12 * (size_t)b->placed, LARGEST) ||
        !is_within(b->coupling_factors, (size_t)b->couplings * n, LARGEST))
        return LIMBER_NOT_FINITE;
    for (int i = 0; i < b->joints; i++) {
        if (b->parents[i] < -1 || b->parents[i] >= i || !(b->lower[i] <= b->upper[i])) return LIMBER_JOINT;
        if (b->rows[i] < 1 || b->rows[i] > b->joints) return LIMBER_SIZE;
    }
    if (!links_fit(b, b->turning_joints, b->turning_levels, b->turning) ||
        !links_fit(b, b->placed_joints, b->placed_levels, b->placed))
        return LIMBER_JOINT;
    for (int i = 0; i < b->couplings; i++)
        if (!(b->coupling_lower[i] <= b->coupling_upper[i])) return LIMBER_JOINT;
    return LIMBER_OK;
}

/* Copies the links of targets. */
static void write_links(struct link *links, const int32_t *joints, const int32_t *levels, const double *frames, int count) {
    for (int i = 0; i < count; i++) {
        links[i].joint = joints[i], links[i].level = levels[i];
        memcpy(links[i].frame, frames + 12 * i, sizeof links[i].frame);
    }
}

int32_t limber_body(void *memory, size_t bytes, const struct limber_body *b) {
    struct body *body = memory;
    if (!memory || ((uintptr_t)memory & 15) || !counts_fit(b) || bytes < limber_body_bytes(b)) return LIMBER_SIZE;
    int32_t error = checked(b);
    if (error) return error;
    laid_out(body, memory, b);
    body->self = memory;
    body->joints = b->joints, body->turning = b->turning, body->placed = b->placed;
    body->couplings = b->couplings, body->levels = b->levels, body->contacts = b->contacts;
    body->floating = b->floating != 0;
    for (int i = 0; i < b->joints; i++) {
        prepare_joint(&body->joint[i], b->parents[i], b->prismatic[i], b->rests + 12 * i, b->axes + 3 * i);
        body->joint[i].lower = b->lower[i], body->joint[i].upper = b->upper[i];
        body->joint[i].scale = 1.0;
        body->row[i] = b->rows[i];
    }
    write_links(body->turned, b->turning_joints, b->turning_levels, b->turning_ends, b->turning);
    write_links(body->positioned, b->placed_joints, b->placed_levels, b->placed_ends, b->placed);
    for (int i = 0; i < b->couplings * b->joints; i++) body->factors[i] = b->coupling_factors[i];
    for (int i = 0; i < b->couplings; i++)
        body->lowest[i] = b->coupling_lower[i], body->highest[i] = b->coupling_upper[i];
    body->mark = MARK;
    return LIMBER_OK;
}
