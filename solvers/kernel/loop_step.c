/* A step that closes loops and reduces task errors in their null space, within bounds. Source: solvers/mechanism/descent.py;
 * for bounds solvers/least_squares/bounded_step.py (Baerlocher & Boulic 2004; Nocedal & Wright 2006, algorithm 16.3). */
#include <string.h>

#include "dense.h"
#include "descent_of_loops.h"
#include "vectors.h"

/* Damping for a squared error. */
static double damping_at(const struct descent *descent, double square) {
    return descent->share * larger(square, LEAST_SHARE);
}

/* Copies of the blocks without the columns of held coordinates. */
static const double *masked_blocks(struct descent *descent, const double *blocks, const int *is_held) {
    for (int i = 0; i < descent->clusters; i++) {
        const struct cluster *cluster = &descent->mechanism->cluster[i];
        for (int k = 0; k < cluster->rows; k++) {
            const double *row = line_of(blocks + cluster->block, k, cluster->columns);
            double *copy = row_of(descent->masked + cluster->block, k, cluster->columns);
            for (int j = 0; j < cluster->columns; j++) copy[j] = is_held[cluster->column[j]] ? 0.0 : row[j];
        }
    }
    return descent->masked;
}

/* Adds to the gaps (r,) their changes by moves (v,) of the coordinates, by the linear model. */
static void add_moves(const struct descent *descent, const double *blocks, const double *moves, double *gap) {
    for (int i = 0; i < descent->clusters; i++) {
        const struct cluster *cluster = &descent->mechanism->cluster[i];
        for (int k = 0; k < cluster->rows; k++) {
            const double *row = line_of(blocks + cluster->block, k, cluster->columns);
            for (int j = 0; j < cluster->columns; j++) gap[cluster->row[k]] += row[j] * moves[cluster->column[j]];
        }
    }
}

/* Writes the step (v,) that reduces the errors (e,), by damped least squares with the projected Jacobian. */
static void task_step(struct descent *descent, const double *error, double *step) {
    int e = descent->rows, v = descent->mechanism->coordinates;
    const double *along = descent->projected;
    double *square = descent->square, damping = damping_at(descent, dot_of(error, error, e)), *solution = descent->sizes;
    memset(step, 0, (size_t)v * sizeof *step);
    if (e > v) {
        memset(square, 0, (size_t)v * (size_t)v * sizeof *square);
        for (int k = 0; k < e; k++) {
            const double *row = line_of(along, k, v);
            for (int i = 0; i < v; i++) add_multiple(row[i], row, row_of(square, i, v), i + 1);
            add_multiple(-error[k], row, step, v);
        }
        factorise(v, square, regularise(v, square, damping));
        solve_factorised(v, square, 1, step);
        return;
    }
    memcpy(solution, error, (size_t)e * sizeof *solution);
    square_rows(e, v, along, square);
    factorise(e, square, regularise(e, square, damping));
    solve_factorised(e, square, 1, solution);
    for (int k = 0; k < e; k++) add_multiple(-solution[k], line_of(along, k, v), step, v);
}

/* The step (v,) of free coordinates, where held ones (NULL: none) move by `moves` (v,): the least that closes the loops,
 * plus damped least squares of the tasks in their null space. */
static void free_step(struct descent *descent, const struct configuration *here, const struct linear *linear,
                      const double *moves, const int *is_held, int is_closing_only, double *step) {
    int e = is_closing_only ? 0 : descent->rows, v = descent->mechanism->coordinates;
    size_t real = sizeof(double), width = (size_t)v;
    const double *blocks = is_held ? masked_blocks(descent, linear->blocks, is_held) : linear->blocks, *gap = here->gap;
    if (is_held) {
        memcpy(descent->shifted, here->gap, (size_t)descent->mechanism->rows * real);
        add_moves(descent, linear->blocks, moves, descent->shifted);
        gap = descent->shifted;
    }
    factor_loops(descent, blocks);
    close_step(descent, blocks, gap, step);
    if (!e) return;
    memcpy(descent->projected, linear->slopes, (size_t)e * width * real);
    for (int k = 0; k < e; k++) {
        double *row = row_of(descent->projected, k, v);
        descent->wanted[k] = here->error[k];
        if (is_held) descent->wanted[k] += dot_of(row, moves, v);
        for (int j = 0; is_held && j < v; j++)
            if (is_held[j]) row[j] = 0.0;
        descent->wanted[k] += dot_of(row, step, v);
    }
    project(descent, blocks, descent->projected, e);
    task_step(descent, descent->wanted, descent->direction);
    project(descent, blocks, descent->direction, 1); /* removes rounding errors along rigid directions */
    for (int j = 0; j < v; j++) step[j] += descent->direction[j];
}

void project_tasks(struct descent *descent, const struct configuration *here) {
    const struct linear *linear = linearised(descent, here, 1);
    factor_loops(descent, linear->blocks);
    memcpy(descent->projected, linear->slopes,
           (size_t)descent->rows * (size_t)descent->mechanism->coordinates * sizeof(double));
    project(descent, linear->blocks, descent->projected, descent->rows);
}

/* The objective's gradient (v,) at a step, projected onto the loops' null space. */
static void gradient(struct descent *descent, const struct configuration *here, const struct linear *linear,
                     const double *step, const int *is_held) {
    int e = descent->rows, v = descent->mechanism->coordinates;
    double *slope = descent->slope, damping = damping_at(descent, dot_of(here->error, here->error, e));
    for (int j = 0; j < v; j++) slope[j] = damping * step[j];
    for (int k = 0; k < e; k++) {
        const double *row = line_of(linear->slopes, k, v);
        add_multiple(here->error[k] + dot_of(row, step, v), row, slope, v);
    }
    const double *free_blocks = masked_blocks(descent, linear->blocks, is_held);
    factor_loops(descent, free_blocks);
    along_free(descent, linear->blocks, free_blocks, slope);
}

/* Releases the held coordinate whose bound costs most; returns whether one was released. */
static int release_bound(struct descent *descent, const double *moves) {
    int v = descent->mechanism->coordinates, first = -1;
    double most = 0.0, steepest = 0.0;
    for (int j = 0; j < v; j++) {
        double slope = descent->slope[j];
        int can_move = descent->is_held[j] && descent->least[j] < descent->largest[j];
        double inward = !can_move ? 0.0 : moves[j] <= descent->least[j] ? -slope : slope;
        if (inward > most) most = inward, first = j;
        steepest = larger(steepest, fabs(slope));
    }
    if (first < 0 || most <= EXACT * steepest) return 0;
    descent->is_held[first] = 0;
    return 1;
}

/* The best moves (v,) within bounds, starting from those that hold more coordinates than needed. */
static void released(struct descent *descent, const struct configuration *here, const struct linear *linear,
                     double *moves) {
    int v = descent->mechanism->coordinates, is_best = 1;
    const double *least = descent->least, *largest = descent->largest;
    for (int round = 0; round < MAX_ITERATIONS; round++) {
        double share = 1.0, *tried = descent->tried, *fixed = descent->first_moves;
        if (is_best) {
            gradient(descent, here, linear, moves, descent->is_held);
            if (!release_bound(descent, moves)) break;
        }
        for (int j = 0; j < v; j++) fixed[j] = descent->is_held[j] ? moves[j] : 0.0;
        free_step(descent, here, linear, fixed, descent->is_held, 0, tried);
        for (int j = 0; j < v; j++) {
            double way = descent->is_held[j] ? 0.0 : tried[j] - moves[j], bound = way > 0.0 ? largest[j] : least[j];
            tried[j] = way;
            if (way != 0.0) share = smaller(share, (bound - moves[j]) / way);
        }
        is_best = share == 1.0;
        for (int j = 0; j < v; j++) {
            double way = tried[j], bound = way > 0.0 ? largest[j] : least[j];
            if (!is_best && way != 0.0 && (bound - moves[j]) / way <= share)
                descent->is_held[j] = 1, moves[j] = bound;
            else
                moves[j] = clamped(moves[j] + share * way, least[j], largest[j]);
        }
    }
}

void find_step(struct descent *descent, const struct configuration *here, int is_closing_only, double *step) {
    const struct mechanism *mechanism = descent->mechanism;
    const struct linear *linear = linearised(descent, here, !is_closing_only);
    int v = mechanism->coordinates, held = 0;
    double *moves = descent->moves;
    if (!descent->is_bounded) {
        free_step(descent, here, linear, NULL, NULL, is_closing_only, step);
        return;
    }
    for (int j = 0; j < v; j++) { /* `stepped` clips what rounding leaves beyond the bounds */
        descent->least[j] = (descent->lower[j] - here->values[j]) / mechanism->unit[j] - EXACT;
        descent->largest[j] = (descent->upper[j] - here->values[j]) / mechanism->unit[j] + EXACT;
        descent->is_held[j] = 0, moves[j] = 0.0;
    }
    for (int is_out = 1; is_out && held < v;) {
        double *tried = descent->tried;
        free_step(descent, here, linear, moves, held ? descent->is_held : NULL, is_closing_only, tried);
        is_out = 0;
        for (int j = 0; j < v; j++) {
            if (descent->is_held[j]) continue;
            moves[j] = clamped(tried[j], descent->least[j], descent->largest[j]);
            if (tried[j] < descent->least[j] || tried[j] > descent->largest[j])
                descent->is_held[j] = 1, held++, is_out = 1;
        }
        for (int j = 0; is_out && j < v; j++)
            if (!descent->is_held[j]) moves[j] = 0.0;
    }
    if (!is_closing_only && descent->rows && held > 1) released(descent, here, linear, moves);
    memcpy(step, moves, (size_t)v * sizeof *step);
    for (int j = 0; !is_closing_only && j < v; j++) descent->held[j] = descent->is_held[j];
}
