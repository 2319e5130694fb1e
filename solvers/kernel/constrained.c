/* Least squares within a box and rows, by the method of multipliers over the box's own search (Hestenes 1969; Powell
 * 1969). Source: solvers/least_squares/constrained.py. */
#include <string.h>

#include "articulated.h"
#include "least_squares.h"
#include "vectors.h"

/* factor by which stiffness is increased, and how often at most (solvers/least_squares/constrained.py) */
#define STIFFER 10.0
#define MOST_STIFFENINGS 5
/* change of the multipliers' changes, as a fraction of the largest of these, up to which no force counts as reducing
 * the violation */
#define STALLED 1e-3
#define SETS 3             /* number of multiplier updates before the springs are stiffened; two are usual */

/* Violation of a row's bounds by a value. */
static double beyond(const struct row *row, double value) {
    return larger(value - row->upper, 0.0) + smaller(value - row->lower, 0.0);
}

double violation(const struct row *row) {
    double over = beyond(row, row->value + row->relief);
    return fabs(over) > row->tolerance ? over : 0.0;
}

static int is_equal(const struct row *row) { return row->lower == row->upper; }

/* Displacement of a row by its multiplier. */
static double shift(const struct least_squares *problem, const struct row *row) { return row->force / problem->stiffness; }

/* Whether a row with this value has a force: an equality, or an inequality that is beyond its bound with its shift. */
static int is_loaded(const struct least_squares *problem, const struct row *row, double value) {
    return is_equal(row) || beyond(row, value + shift(problem, row)) != 0.0;
}

/* Writes the values of all rows after a move x (6 + n,). */
static void value_rows(struct least_squares *problem, const double *x) {
    move_nodes(problem, x);
    for (int r = 0; r < problem->row_count; r++)
        problem->rows[r].value = row_value(problem, &problem->rows[r], x);
}

/* The objective plus the springs' energy at the current values of the rows. */
static double cost(const struct least_squares *problem, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < BASE + problem->body->joints; i++)
        sum += x[i] * (0.5 * problem->damped[i] * x[i] - problem->downhill[i]);
    for (int i = 0; i <= problem->body->joints; i++) {
        const struct node *node = &problem->nodes[i];
        for (int k = 0; k < BASE; k++) {
            const double *v = node->velocity, *row = node->carried + BASE * k;
            sum += v[k] * (0.5 * (dot(row, v) + dot(row + 3, v + 3)) - node->target_force[k]);
        }
    }
    for (int r = 0; r < problem->row_count; r++) {
        double over = beyond(&problem->rows[r], problem->rows[r].value + shift(problem, &problem->rows[r]));
        sum += 0.5 * problem->stiffness * over * over;
    }
    return sum;
}

/* Moves from `at` by decreasing fractions of x until the cost decreases; returns 0 if it does not. */
static int search_line(struct least_squares *problem) {
    int count = BASE + problem->body->joints;
    double *at = problem->at, *x = problem->x, *there = problem->start;
    value_rows(problem, at);
    double before = cost(problem, at);
    for (double share = 1.0; share > 0.0; share *= 0.5) {
        int is_same = 1;
        for (int i = 0; i < count; i++) there[i] = at[i] + share * x[i], is_same &= there[i] == at[i];
        value_rows(problem, there);
        if (is_same) return 0;
        if (cost(problem, there) >= before) continue;
        for (int i = 0; i < count; i++) at[i] = clamped(there[i], problem->least[i], problem->most[i]);
        return 1;
    }
    return 0;
}

/* Moves `at` to the minimum with springs, by Newton's method on the loaded springs: the cost is convex and piecewise
 * quadratic. Writes the rows' values there. Returns `rounds` plus the number of linear solves. */
static int sprung_minimum(struct least_squares *problem, int8_t *sides, int rounds) {
    int count = BASE + problem->body->joints;
    double *at = problem->at, *there = problem->start;
    value_rows(problem, at);
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        int stopped = 0, is_settled = 1;
        for (int r = 0; r < problem->row_count; r++) {
            struct row *row = &problem->rows[r];
            double shifted = row->value + shift(problem, row);
            row->is_active = is_loaded(problem, row, row->value);
            row->error = row->value - (shifted > row->upper ? row->upper : row->lower);
            problem->pushes[r] = row->is_active ? row->force : 0.0;
        }
        start_solves(problem);
        rounds += box_minimum(problem, sides, &stopped);
        for (int i = 0; i < count; i++) there[i] = clamped(at[i] + problem->x[i], problem->least[i], problem->most[i]);
        value_rows(problem, there);
        for (int r = 0; r < problem->row_count; r++)
            is_settled &= problem->rows[r].is_active == is_loaded(problem, &problem->rows[r], problem->rows[r].value);
        if (stopped || is_settled || rounds >= problem->most_rounds) {
            memcpy(at, there, (size_t)count * sizeof *at);
            break;
        }
        int has_moved = search_line(problem);
        value_rows(problem, at);
        if (!has_moved) break;
    }
    return rounds;
}

/* Writes the tolerances of the rows and the stiffness of the springs: their compliance is the fraction `EXACT` of the
 * body's largest one, which keeps the digits of the Schur complement. */
static void prepare_rows(struct least_squares *problem) {
    double most = 0.0;
    for (int r = 0; r < problem->row_count; r++) {
        struct row *row = &problem->rows[r];
        double sum = 0.0, compliance = 0.0;
        spread_row(problem, row, problem->scaled);
        for (int i = 0; i < BASE + problem->body->joints; i++) {
            sum += fabs(problem->scaled[i]);
            compliance += problem->scaled[i] * problem->scaled[i] / problem->damped[i];
        }
        most = larger(most, compliance);
        row->tolerance = EXACT * (sum + (isfinite(row->lower) ? fabs(row->lower) : 0.0) +
                                  (isfinite(row->upper) ? fabs(row->upper) : 0.0));
        row->last = HUGE_VAL;
    }
    problem->stiffness = 1.0 / (EXACT * (most > 0.0 ? most : 1.0));
}

/* Moves `at` to the minimum within bounds alone; returns whether the rows hold there. */
static int is_box_enough(struct least_squares *problem, int8_t *sides, int *stopped, int *rounds) {
    int is_enough = 1;
    memset(problem->at, 0, (size_t)(BASE + problem->body->joints) * sizeof *problem->at);
    for (int r = 0; r < problem->row_count; r++) problem->rows[r].is_active = 0, problem->pushes[r] = 0.0;
    start_solves(problem);
    *rounds = box_minimum(problem, sides, stopped);
    memcpy(problem->at, problem->x, (size_t)(BASE + problem->body->joints) * sizeof *problem->at);
    if (!problem->row_count) return 1;
    value_rows(problem, problem->at);
    for (int r = 0; r < problem->row_count; r++) is_enough &= violation(&problem->rows[r]) == 0.0;
    return is_enough;
}

/* Relaxes rows that contradict each other by their changes, if these are at least `least`, by which changes still
 * differ from set to set: no force reduces them.
 * Subtracts from their multipliers the force that `pushed`, the summed stiffness, has given to these changes. */
static void relieve_rows(struct least_squares *problem, double least, double pushed) {
    for (int r = 0; r < problem->row_count; r++) {
        struct row *row = &problem->rows[r];
        if (fabs(row->change) < least) continue;
        row->lower += row->change, row->upper += row->change, row->relief += row->change;
        row->force -= pushed * row->change;
    }
}

/* Updates the multipliers at the minimum with springs; returns whether they have converged. Changes become zero for
 * rows that hold, and the least violation for rows that contradict each other. */
static int push_rows(struct least_squares *problem, int set, double *pushed) {
    int is_met = 1;
    double most = 0.0, difference = 0.0;
    *pushed += problem->stiffness;
    for (int r = 0; r < problem->row_count; r++) {
        struct row *row = &problem->rows[r];
        double before = shift(problem, row), after = beyond(row, row->value + before);
        row->change = after - before, row->force = problem->stiffness * after;
        is_met &= fabs(row->change) <= row->tolerance;
        most = larger(most, fabs(row->change)), difference = larger(difference, fabs(row->change - row->last));
    }
    if (is_met) return 1;
    if (difference <= STALLED * most)
        relieve_rows(problem, difference, *pushed), *pushed = 0.0;
    else if (set >= SETS && set < SETS + MOST_STIFFENINGS)
        problem->stiffness *= STIFFER;
    for (int r = 0; r < problem->row_count; r++) problem->rows[r].last = problem->rows[r].change;
    return 0;
}

int constrained_minimum(struct least_squares *problem, int8_t *sides, int *stopped) {
    int rounds = 0, is_warm = 0, has_yielded = 0;
    double pushed = 0.0;
    prepare_rows(problem);
    for (int r = 0; r < problem->row_count; r++) is_warm |= problem->rows[r].force != 0.0;
    if (is_warm) {
        for (int i = 0; i < BASE + problem->body->joints; i++)
            problem->at[i] = clamped(0.0, problem->least[i], problem->most[i]);
        value_rows(problem, problem->at);
    } else if (is_box_enough(problem, sides, stopped, &rounds)) {
        return rounds;
    }
    *stopped = 0;
    for (int set = 1; set <= MAX_ITERATIONS; set++) {
        if (rounds >= problem->most_rounds) {
            *stopped = 1;
            break;
        }
        rounds = sprung_minimum(problem, sides, rounds);
        if (push_rows(problem, set, &pushed)) break;
    }
    for (int r = 0; r < problem->row_count; r++) has_yielded |= violation(&problem->rows[r]) != 0.0;
    /* relaxed rows have no bound any more */
    for (int r = 0; r < problem->row_count && has_yielded; r++) problem->rows[r].force = 0.0;
    return rounds;
}
