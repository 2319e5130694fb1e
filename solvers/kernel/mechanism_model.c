/* Prepares a mechanism: its tree, and which coordinates move which of its loops. */
#include <string.h>

#include "spanning_tree.h"
#include "vectors.h"

#define MARK UINT64_C(0x6c696d6265726d31) /* "limberm1" in ASCII: marks a prepared model */
#define MOST_CLOSURES 1024
#define MOST_COORDINATES 3072
/* numbers of an assembly mode: motion since the references were taken, and whether it is regular */
#define MODE_HEADER 2
#define MODE_OF_CLUSTER 4 /* determinant, its change, rank, whether its reference is clear */
#define HUGE_LIMIT 1e308

const struct mechanism *mechanism_in(const void *memory) {
    const struct mechanism *mechanism = memory;
    if (!mechanism || ((uintptr_t)memory & 15) || mechanism->mark != MARK || mechanism->self != memory) return NULL;
    return mechanism;
}

static int counts_fit(const struct limber_mechanism *m) {
    return m && m->joints >= 0 && m->joints <= MOST_JOINTS && m->coordinates >= 0 &&
           m->coordinates <= MOST_COORDINATES && m->bodies >= 0 && m->bodies <= MOST_ENDS && m->closures >= 0 &&
           m->closures <= MOST_CLOSURES && m->driven >= 0 && m->driven <= MOST_ENDS && m->clusters >= 0 &&
           m->clusters <= m->closures;
}

/* Whether indices are from `least` to below `end`. */
static int are_indices(const int32_t *indices, int count, int least, int end) {
    for (int i = 0; i < count; i++)
        if (indices[i] < least || indices[i] >= end) return 0;
    return 1;
}

static int width_of(int kind) { return kind == LIMBER_SPHERICAL ? 3 : 1; }

/* Number of residuals that a closure's mask selects. */
static int rows_of(int32_t mask) {
    int rows = 0;
    for (int k = 0; k < COMPONENTS; k++) rows += mask >> k & 1;
    return rows;
}

/* LIMBER_OK, or the code of the first error in the input. */
static int32_t checked(const struct limber_mechanism *m) {
    size_t n = (size_t)m->joints, v = (size_t)m->coordinates, b = (size_t)m->bodies, c = (size_t)m->closures;
    int coordinates = 0;
    if (!is_within(&m->size, 1, LARGEST) || !is_within(m->rests, 12 * n, LARGEST) || !is_within(m->axes, 3 * n, 2.0) ||
        !is_within(m->body_frames, 12 * b, LARGEST) || !is_within(m->masses, b, LARGEST) ||
        !is_within(m->centres, 3 * b, LARGEST) || !is_within(m->end_frames, 24 * c, LARGEST))
        return LIMBER_NOT_FINITE;
    if (!(m->size > 1.0 / LARGEST)) return LIMBER_SIZE;
    for (int i = 0; i < m->joints; i++) {
        if (m->parents[i] < -1 || m->parents[i] >= i || m->kinds[i] < LIMBER_REVOLUTE || m->kinds[i] > LIMBER_SPHERICAL)
            return LIMBER_JOINT;
        coordinates += width_of(m->kinds[i]);
    }
    if (coordinates != m->coordinates) return LIMBER_SIZE;
    for (size_t i = 0; i < v; i++)
        if (!(m->lower[i] <= m->upper[i] && m->lower[i] <= HUGE_LIMIT && m->upper[i] >= -HUGE_LIMIT &&
              m->velocity[i] >= 0.0))
            return LIMBER_JOINT;
    if (!are_indices(m->body_joints, m->bodies, -1, m->joints) ||
        !are_indices(m->end_joints, 2 * m->closures, -1, m->joints) ||
        !are_indices(m->driven_of, m->closures, -1, m->driven) ||
        !are_indices(m->cluster_of, m->closures, -1, m->clusters))
        return LIMBER_JOINT;
    for (int i = 0; i < m->closures; i++)
        if (m->rows[i] < 0 || m->rows[i] >> COMPONENTS || rows_of(m->rows[i]) > MOST_ROWS) return LIMBER_SIZE;
    return LIMBER_OK;
}

/* Adds `sign` to the signs of all coordinates that move a joint's frame. */
static void add_ancestors(const struct limber_mechanism *m, const int *first, int joint, int sign, int8_t *signs) {
    for (int i = joint; i >= 0; i = m->parents[i])
        for (int k = 0; k < width_of(m->kinds[i]); k++) signs[first[i] + k] = (int8_t)(signs[first[i] + k] + sign);
}

/* Counts made before memory is laid out, for one closure at a time. */
struct counter {
    int first[MOST_JOINTS];
    int8_t signs[MOST_COORDINATES], matters[MOST_COORDINATES];
};

/* Writes the sign with which each coordinate moves a closure: -1 on the way to its parent's side, 1 to its child's;
 * 0 for others. */
static void write_signs(const struct limber_mechanism *m, struct counter *counter, int closure) {
    memset(counter->signs, 0, (size_t)m->coordinates);
    add_ancestors(m, counter->first, m->end_joints[2 * closure], -1, counter->signs);
    add_ancestors(m, counter->first, m->end_joints[2 * closure + 1], 1, counter->signs);
}

/* Writes the first coordinate of each joint. */
static void number_coordinates(const struct limber_mechanism *m, struct counter *counter) {
    int first = 0;
    for (int i = 0; i < m->joints; i++) counter->first[i] = first, first += width_of(m->kinds[i]);
}

/* Marks the coordinates that move closures of a cluster; returns the number of its residuals. */
static int gather_cluster(const struct limber_mechanism *m, struct counter *counter, int cluster) {
    int rows = 0;
    memset(counter->matters, 0, (size_t)m->coordinates);
    for (int i = 0; i < m->closures; i++) {
        if (m->cluster_of[i] != cluster) continue;
        write_signs(m, counter, i);
        for (int q = 0; q < m->coordinates; q++) counter->matters[q] |= counter->signs[q] != 0;
        rows += rows_of(m->rows[i]);
    }
    return rows;
}

/* Takes the arrays from `memory`; returns their size [bytes], also if `memory` is NULL. */
static size_t laid_out(struct mechanism *mechanism, char *memory, const struct limber_mechanism *m) {
    struct pieces pieces = {memory, 0};
    size_t n = (size_t)m->joints, v = (size_t)m->coordinates, b = (size_t)m->bodies, c = (size_t)m->closures;
    size_t indices = 0, influences = 0;
    struct counter counter;
    number_coordinates(m, &counter);
    for (int i = 0; i < m->clusters; i++) {
        indices += (size_t)gather_cluster(m, &counter, i);
        for (size_t q = 0; q < v; q++) indices += counter.matters[q] ? 2 : 0;
    }
    for (int i = 0; i < m->closures; i++) {
        write_signs(m, &counter, i);
        for (size_t q = 0; q < v; q++) influences += counter.signs[q] != 0;
    }
    take(&pieces, 1, sizeof *mechanism);
    mechanism->joint = take(&pieces, n, sizeof *mechanism->joint);
    mechanism->body = take(&pieces, b, sizeof *mechanism->body);
    mechanism->masses = take(&pieces, b, sizeof(double));
    mechanism->centres = take(&pieces, 3 * b, sizeof(double));
    mechanism->closure = take(&pieces, c, sizeof *mechanism->closure);
    mechanism->cluster = take(&pieces, (size_t)m->clusters, sizeof *mechanism->cluster);
    mechanism->influence = take(&pieces, influences, sizeof *mechanism->influence);
    mechanism->indices = take(&pieces, indices, sizeof(int));
    mechanism->is_actuated = take(&pieces, v, sizeof(int));
    double **arrays[] = {&mechanism->lower, &mechanism->upper, &mechanism->velocity, &mechanism->unit};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = take(&pieces, v, sizeof(double));
    return pieces.bytes;
}

size_t limber_mechanism_bytes(const struct limber_mechanism *m) {
    struct mechanism mechanism;
    return counts_fit(m) && !checked(m) ? laid_out(&mechanism, NULL, m) : 0;
}

static void write_joints(struct mechanism *mechanism, const struct limber_mechanism *m) {
    int first = 0, balls = 0;
    for (int i = 0; i < m->joints; i++) {
        struct tree_joint *joint = &mechanism->joint[i];
        prepare_joint(&joint->joint, m->parents[i], m->kinds[i] == LIMBER_PRISMATIC, m->rests + 12 * i, m->axes + 3 * i);
        joint->kind = m->kinds[i], joint->first = first, joint->width = width_of(m->kinds[i]);
        joint->ball = joint->kind == LIMBER_SPHERICAL ? balls++ : -1;
        for (int k = 0; k < joint->width; k++)
            mechanism->unit[first + k] = joint->kind == LIMBER_PRISMATIC ? m->size : 1.0;
        first += joint->width;
    }
    mechanism->balls = balls;
}

static void write_carried(struct carried *carried, int joint, const double *frame) {
    carried->joint = joint;
    memcpy(carried->frame, frame, sizeof carried->frame);
}

/* The clusters' rows and columns, and where their numbers are stored. */
static void write_clusters(struct mechanism *mechanism, const struct limber_mechanism *m, struct counter *counter) {
    int *next = mechanism->indices;
    mechanism->block_count = mechanism->factor_count = 0, mechanism->mode_count = MODE_HEADER;
    mechanism->most_rows = mechanism->most_columns = 0;
    for (int i = 0; i < m->clusters; i++) {
        struct cluster *cluster = &mechanism->cluster[i];
        cluster->rows = gather_cluster(m, counter, i);
        cluster->row = next, next += cluster->rows;
        cluster->column = next, cluster->columns = cluster->passive = 0;
        for (int q = 0; q < m->coordinates; q++)
            if (counter->matters[q]) cluster->column[cluster->columns++] = q;
        next += cluster->columns;
        cluster->passive_column = next, next += cluster->columns;
        for (int k = 0; k < cluster->columns; k++)
            if (!mechanism->is_actuated[cluster->column[k]]) cluster->passive_column[cluster->passive++] = k;
        size_t rows = (size_t)cluster->rows, passive = (size_t)cluster->passive, least = rows < passive ? rows : passive;
        cluster->block = mechanism->block_count, cluster->factor = mechanism->factor_count;
        cluster->mode = mechanism->mode_count;
        mechanism->block_count += rows * (size_t)cluster->columns, mechanism->factor_count += rows * rows;
        mechanism->mode_count += MODE_OF_CLUSTER + 2 * (size_t)m->coordinates + least * (rows + passive + 1);
        if (cluster->rows > mechanism->most_rows) mechanism->most_rows = cluster->rows;
        if (cluster->columns > mechanism->most_columns) mechanism->most_columns = cluster->columns;
    }
}

/* Copies the closures, with the coordinates that move each. */
static void write_closures(struct mechanism *mechanism, const struct limber_mechanism *m, struct counter *counter) {
    struct influence *next = mechanism->influence;
    int first_row = 0;
    for (int i = 0; i < m->clusters; i++) mechanism->cluster[i].rows = 0;
    for (int i = 0; i < m->closures; i++) {
        struct closure *closure = &mechanism->closure[i];
        struct cluster *cluster = m->cluster_of[i] < 0 ? NULL : &mechanism->cluster[m->cluster_of[i]];
        for (int k = 0; k < 2; k++)
            write_carried(&closure->ends[k], m->end_joints[2 * i + k], m->end_frames + 24 * i + 12 * k);
        closure->driven = m->driven_of[i], closure->cluster = m->cluster_of[i], closure->mask = m->rows[i];
        closure->rows = 0, closure->first_row = first_row, closure->block_row = cluster ? cluster->rows : 0;
        for (int k = 0; k < COMPONENTS; k++)
            if (m->rows[i] >> k & 1) closure->component[closure->rows++] = k;
        write_signs(m, counter, i);
        closure->influence = next, closure->influences = 0;
        for (int k = 0; cluster && k < cluster->columns; k++) {
            int q = cluster->column[k];
            if (counter->signs[q])
                next[closure->influences++] = (struct influence){q, k, (double)counter->signs[q]};
        }
        next += closure->influences;
        for (int k = 0; cluster && k < closure->rows; k++) cluster->row[cluster->rows++] = first_row + k;
        first_row += closure->rows;
    }
    mechanism->rows = first_row;
}

int32_t limber_mechanism(void *memory, size_t bytes, const struct limber_mechanism *m) {
    struct mechanism *mechanism = memory;
    struct counter counter;
    if (!memory || ((uintptr_t)memory & 15) || !counts_fit(m)) return LIMBER_SIZE;
    int32_t error = checked(m);
    if (error) return error;
    if (bytes < limber_mechanism_bytes(m)) return LIMBER_SIZE;
    memset(mechanism, 0, sizeof *mechanism);
    laid_out(mechanism, memory, m);
    size_t v = (size_t)m->coordinates, real = sizeof(double);
    mechanism->self = memory;
    mechanism->joints = m->joints, mechanism->coordinates = m->coordinates, mechanism->bodies = m->bodies;
    mechanism->closures = m->closures, mechanism->driven = m->driven, mechanism->clusters = m->clusters;
    mechanism->size = m->size;
    memcpy(mechanism->lower, m->lower, v * real);
    memcpy(mechanism->upper, m->upper, v * real);
    memcpy(mechanism->velocity, m->velocity, v * real);
    memcpy(mechanism->masses, m->masses, (size_t)m->bodies * real);
    memcpy(mechanism->centres, m->centres, 3 * (size_t)m->bodies * real);
    for (size_t i = 0; i < v; i++) {
        mechanism->is_actuated[i] = m->actuated[i] != 0;
        mechanism->has_speeds |= isfinite(m->velocity[i]) != 0;
    }
    write_joints(mechanism, m);
    for (int i = 0; i < m->bodies; i++) {
        write_carried(&mechanism->body[i], m->body_joints[i], m->body_frames + 12 * i);
        mechanism->moving += m->body_joints[i] >= 0;
    }
    number_coordinates(m, &counter);
    write_clusters(mechanism, m, &counter);
    write_closures(mechanism, m, &counter);
    mechanism->mark = MARK;
    return LIMBER_OK;
}

size_t limber_mechanism_mode_count(const void *model) {
    const struct mechanism *mechanism = mechanism_in(model);
    return mechanism ? mechanism->mode_count : 0;
}
