/* Detects changes of assembly mode by determinants of the loops' Jacobian by passive coordinates. Source:
 * solvers/mechanism/branches.py.
 *
 * A mode is an array of numbers: motion since its references were taken, whether it is regular, and of each cluster four
 * numbers, the position (v,) and the last step (v,) in units, and the reference's singular vectors: left ones (m, r) over
 * their singular values, right ones (m, p), and 1 where a singular value is rounding (m,). */
#include <string.h>

#include "dense.h"
#include "descent_of_loops.h"
#include "vectors.h"

/* fraction of the largest singular value up to which one counts as a rounding error (solvers/mechanism/clusters.py) */
#define RANK 1e-5
/* absolute determinant above which a pose counts as far from singular (solvers/mechanism/branches.py) */
#define REGULAR 0.1
/* ratio of a determinant to its reference's, or the inverse ratio, above which the reference is renewed */
#define STALE 2.0

enum { MOVED, IS_REGULAR };
enum { DETERMINANT, CHANGE, RANK_OF, IS_CLEAR, POSITION };

/* Reference for determinants of a cluster, stored in the numbers of a mode. */
struct view {
    double *left, *right, *rest;
    int rows, passive, count; /* r residuals, p passive columns, m singular values */
};

/* The reference of a cluster in the numbers of a mode. */
static struct view view_in(const struct mechanism *mechanism, const struct cluster *cluster, double *mode) {
    struct view view = {.rows = cluster->rows, .passive = cluster->passive};
    view.count = view.rows < view.passive ? view.rows : view.passive;
    view.left = mode + cluster->mode + POSITION + 2 * (size_t)mechanism->coordinates;
    view.right = view.left + (size_t)view.count * (size_t)view.rows;
    view.rest = view.right + (size_t)view.count * (size_t)view.passive;
    return view;
}

size_t mode_scratch(const struct mechanism *mechanism) {
    size_t rows = (size_t)mechanism->most_rows, columns = (size_t)mechanism->most_columns;
    size_t most = rows > columns ? rows : columns;
    return 6 * most * most + 3 * most + (size_t)mechanism->coordinates;
}

/* The cluster's block (r, p) of the Jacobian for passive coordinates. */
static void passive_block(const struct cluster *cluster, const double *blocks, double *block) {
    for (int i = 0; i < cluster->rows; i++)
        for (int j = 0; j < cluster->passive; j++)
            row_of(block, i, cluster->passive)[j] =
                line_of(blocks + cluster->block, i, cluster->columns)[cluster->passive_column[j]];
}

/* Takes the reference at a block (r, p); returns its rank, and whether none of its singular values is small but not
 * rounding. `scratch` holds the block turned so that it is wide, its rotations, and its singular values. */
static int take_reference(struct view *view, const double *block, double *scratch, double *is_clear) {
    int count = view->count, is_wide = view->rows <= view->passive, width = is_wide ? view->passive : view->rows, rank = 0;
    double *turned = scratch, *rotations = turned + (size_t)count * (size_t)width;
    double *sizes = rotations + (size_t)count * (size_t)count, most = 0.0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < width; j++)
            row_of(turned, i, width)[j] = is_wide ? line_of(block, i, width)[j] : line_of(block, j, count)[i];
    singular_rows(count, width, turned, rotations, sizes);
    for (int i = 0; i < count; i++) most = larger(most, sizes[i]);
    *is_clear = 1.0;
    for (int i = 0; i < count; i++) {
        int counts = sizes[i] > RANK * most;
        double share = counts ? 1.0 / sizes[i] : 0.0, *left = row_of(view->left, i, view->rows);
        double *right = row_of(view->right, i, view->passive);
        const double *row = line_of(turned, i, width), *rotation = line_of(rotations, i, count);
        for (int j = 0; j < view->rows; j++) left[j] = is_wide ? share * rotation[j] : share * (share * row[j]);
        for (int j = 0; j < view->passive; j++)
            right[j] = is_wide ? share * row[j] : (counts ? rotation[j] : 0.0);
        view->rest[i] = !counts;
        rank += counts;
        if (counts && !(sizes[i] > NEAR_SINGULAR * most)) *is_clear = 0.0;
    }
    return rank;
}

/* Determinant of a block (r, p) relative to the reference: 1 at the reference pose, negative beyond a singular pose. */
static double determinant_in(const struct view *view, const double *block, double *scratch) {
    int count = view->count, rows = view->rows, passive = view->passive;
    double *turned = scratch, *product = turned + (size_t)count * (size_t)rows;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < rows; j++)
            row_of(turned, i, rows)[j] = dot_of(line_of(view->right, i, passive), line_of(block, j, passive), passive);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            row_of(product, i, count)[j] = dot_of(line_of(view->left, i, rows), line_of(turned, j, rows), rows);
        row_of(product, i, count)[i] += view->rest[i];
    }
    return determinant(count, product);
}

void begin_mode(const struct mechanism *mechanism, const double *blocks, const double *values, double *mode,
                double *scratch) {
    memset(mode, 0, mechanism->mode_count * sizeof *mode);
    mode[IS_REGULAR] = 1.0;
    for (int i = 0; i < mechanism->clusters; i++) {
        const struct cluster *cluster = &mechanism->cluster[i];
        struct view view = view_in(mechanism, cluster, mode);
        double *numbers = mode + cluster->mode, *block = scratch;
        passive_block(cluster, blocks, block);
        double *rest = block + (size_t)cluster->rows * (size_t)cluster->passive;
        numbers[RANK_OF] = take_reference(&view, block, rest, numbers + IS_CLEAR);
        numbers[DETERMINANT] = 1.0;
        for (int q = 0; q < mechanism->coordinates; q++) numbers[POSITION + q] = values[q] / mechanism->unit[q];
    }
}

/* Whether the sign of a determinant `present` differs from the one that the motors' movement predicts;
   `steps` (v,) are in units of the coordinates. */
static int is_unpredicted(const struct mechanism *mechanism, const struct cluster *cluster, const double *numbers,
                          double present, const double *steps) {
    const double *before = numbers + POSITION + mechanism->coordinates;
    double square = 0.0, along = 0.0, most = 0.0, kink = 0.0, moved = 0.0;
    for (int q = 0; q < mechanism->coordinates; q++) {
        if (!mechanism->is_actuated[q]) continue;
        square += before[q] * before[q], along += steps[q] * before[q];
        most = larger(most, fabs(steps[q]));
    }
    double ahead = most < LONGEST_STEP ? along / (square > 0.0 ? square : 1.0) : 0.0;
    double predicted = numbers[DETERMINANT] + ahead * numbers[CHANGE];
    if (!(fabs(predicted) > NEAR_SINGULAR && present * predicted < 0.0)) return 0;
    for (int k = 0; k < cluster->columns; k++) {
        int q = cluster->column[k];
        kink = larger(kink, fabs(steps[q] - ahead * before[q]));
        moved = larger(moved, fabs(steps[q]));
    }
    /* A mechanism can also touch a flat pose without changing its assembly. */
    return present * numbers[DETERMINANT] < 0.0 || kink > ALIKE * moved;
}

/* Follows one cluster; returns whether it has changed to another assembly. `moved`: the largest
 * movement of a coordinate, in units. */
static int follow_cluster(const struct mechanism *mechanism, const struct cluster *cluster, const double *values,
                          double present, double *numbers, double *steps, double *moved) {
    int v = mechanism->coordinates, is_regular = fabs(present) > NEAR_SINGULAR;
    double *position = numbers + POSITION, *before = position + v;
    *moved = 0.0;
    for (int q = 0; q < v; q++) {
        steps[q] = values[q] / mechanism->unit[q] - position[q];
        *moved = larger(*moved, fabs(steps[q]));
    }
    if (!is_regular) return 0;
    int is_other = is_unpredicted(mechanism, cluster, numbers, present, steps), has_moved = *moved > EXACT;
    if (is_other)
        numbers[CHANGE] = 0.0;
    else if (has_moved)
        numbers[CHANGE] = present - numbers[DETERMINANT];
    numbers[DETERMINANT] = present;
    for (int q = 0; has_moved && q < v; q++) position[q] += steps[q], before[q] = steps[q];
    return is_other;
}

/* Takes a cluster's reference anew if its pose is far enough from singular ones; `scratch` contains its
   block. */
static void renew(const struct cluster *cluster, struct view *view, double *numbers, double *scratch) {
    size_t left = (size_t)view->count * (size_t)view->rows, right = (size_t)view->count * (size_t)view->passive;
    size_t count = left + right + (size_t)view->count;
    double *kept = scratch + (size_t)cluster->rows * (size_t)cluster->passive, is_clear;
    struct view newer = *view;
    newer.left = kept, newer.right = kept + left, newer.rest = newer.right + right;
    int rank = take_reference(&newer, scratch, kept + count, &is_clear);
    if (is_clear == 0.0 || rank < numbers[RANK_OF]) return;
    memcpy(view->left, kept, count * sizeof *kept);
    numbers[RANK_OF] = rank, numbers[IS_CLEAR] = is_clear;
    numbers[CHANGE] /= numbers[DETERMINANT];
    numbers[DETERMINANT] = 1.0;
}

int follow_mode(const struct mechanism *mechanism, const double *blocks, const double *values, double *mode,
                double *scratch) {
    double most = 0.0, *steps = scratch, *rest = scratch + mechanism->coordinates;
    int is_other = 0, is_renewed = 0;
    if (!mechanism->clusters) return 0;
    mode[IS_REGULAR] = 1.0;
    for (int i = 0; i < mechanism->clusters; i++) {
        const struct cluster *cluster = &mechanism->cluster[i];
        struct view view = view_in(mechanism, cluster, mode);
        double moved;
        passive_block(cluster, blocks, rest);
        double present = determinant_in(&view, rest, rest + (size_t)cluster->rows * (size_t)cluster->passive);
        if (!(fabs(present) > REGULAR)) mode[IS_REGULAR] = 0.0;
        is_other |= follow_cluster(mechanism, cluster, values, present, mode + cluster->mode, steps, &moved);
        most = larger(most, moved);
        mode[mechanism->mode_count + (size_t)i] = present;
    }
    mode[MOVED] += most;
    for (int i = 0; i < mechanism->clusters; i++) {
        const struct cluster *cluster = &mechanism->cluster[i];
        struct view view = view_in(mechanism, cluster, mode);
        double *numbers = mode + cluster->mode, away = fabs(numbers[DETERMINANT]);
        if (!(fabs(mode[mechanism->mode_count + (size_t)i]) > NEAR_SINGULAR)) continue;
        if (!(away > STALE || away < 1.0 / STALE || mode[MOVED] >= LONGEST_STEP)) continue;
        passive_block(cluster, blocks, rest);
        renew(cluster, &view, numbers, rest);
        is_renewed = 1;
    }
    if (is_renewed) mode[MOVED] = 0.0;
    return is_other;
}
