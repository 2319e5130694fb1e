/* Loops that share no coordinate, solved separately. Source: solvers/mechanism/clusters.py. */
#include <string.h>

#include "dense.h"
#include "descent_of_loops.h"

void factor_loops(const struct descent *descent, const double *blocks) {
    for (int i = 0; i < descent->clusters; i++) {
        const struct cluster *cluster = &descent->mechanism->cluster[i];
        double *factor = descent->factors + cluster->factor;
        square_rows(cluster->rows, cluster->columns, blocks + cluster->block, factor);
        factorise(cluster->rows, factor, regularise(cluster->rows, factor, 0.0));
    }
}

void close_step(const struct descent *descent, const double *blocks, const double *gap, double *step) {
    const struct mechanism *mechanism = descent->mechanism;
    memset(step, 0, (size_t)mechanism->coordinates * sizeof *step);
    for (int i = 0; i < descent->clusters; i++) {
        const struct cluster *cluster = &mechanism->cluster[i];
        double *pulled = descent->pulled;
        for (int k = 0; k < cluster->rows; k++) pulled[k] = gap[cluster->row[k]];
        solve_factorised(cluster->rows, descent->factors + cluster->factor, 1, pulled);
        for (int k = 0; k < cluster->rows; k++) {
            const double *row = line_of(blocks + cluster->block, k, cluster->columns);
            for (int j = 0; j < cluster->columns; j++) step[cluster->column[j]] -= pulled[k] * row[j];
        }
    }
}

void project(const struct descent *descent, const double *blocks, double *rows, int count) {
    const struct mechanism *mechanism = descent->mechanism;
    for (int i = 0; i < descent->clusters; i++) {
        const struct cluster *cluster = &mechanism->cluster[i];
        int width = cluster->columns;
        double *part = descent->columns, *pulled = descent->pulled;
        for (int k = 0; k < count; k++) {
            const double *row = line_of(rows, k, mechanism->coordinates);
            for (int j = 0; j < width; j++) row_of(part, k, width)[j] = row[cluster->column[j]];
            for (int j = 0; j < cluster->rows; j++)
                row_of(pulled, j, count)[k] =
                    dot_of(line_of(part, k, width), line_of(blocks + cluster->block, j, width), width);
        }
        solve_factorised(cluster->rows, descent->factors + cluster->factor, count, pulled);
        for (int k = 0; k < count; k++) {
            double *row = row_of(rows, k, mechanism->coordinates), *here = row_of(part, k, width);
            for (int j = 0; j < cluster->rows; j++)
                add_multiple(-row_of(pulled, j, count)[k], line_of(blocks + cluster->block, j, width), here, width);
            for (int j = 0; j < width; j++) row[cluster->column[j]] = here[j];
        }
    }
}

void along_free(const struct descent *descent, const double *blocks, const double *free_blocks, double *slope) {
    const struct mechanism *mechanism = descent->mechanism;
    for (int i = 0; i < descent->clusters; i++) {
        const struct cluster *cluster = &mechanism->cluster[i];
        int width = cluster->columns;
        double *forces = descent->pulled;
        for (int k = 0; k < cluster->rows; k++) {
            const double *row = line_of(free_blocks + cluster->block, k, width);
            forces[k] = 0.0;
            for (int j = 0; j < width; j++) forces[k] += row[j] * slope[cluster->column[j]];
        }
        solve_factorised(cluster->rows, descent->factors + cluster->factor, 1, forces);
        for (int k = 0; k < cluster->rows; k++) {
            const double *row = line_of(blocks + cluster->block, k, width);
            for (int j = 0; j < width; j++) slope[cluster->column[j]] -= forces[k] * row[j];
        }
    }
}
