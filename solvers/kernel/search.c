/* Search from scratch: many starting configurations, the best of which take further steps. Source:
   solvers/expressive/search.py. */
#include <string.h>

#include "branches.h"
#include "descent.h"
#include "exact.h"
#include "least_squares.h"
#include "seeds.h"
#include "vectors.h"

/* constants of solvers/expressive/search.py, explained there; CONVERGED, NEARLY_MET [rad] */
#define CONVERGED (0.5 * DEGREES)
#define ROUNDS 3
#define POLISHING_STEPS 2
#define NEARLY_MET 1e-3
#define RESCUE_STEPS 10
#define RESCUES 8
#define SHAPE_DIGITS 1e9

static const struct {
    int steps, passes, kept;
} ROUND[ROUNDS] = {{1, COARSE_PASSES, 20}, {4, COARSE_PASSES, 8}, {8, PASSES, 8}};

/* Angles (n,) in a row of (m, n). */
static double *row_of(const struct work *work, double *angles, int row) {
    return angles + (size_t)row * (size_t)work->n;
}

/* One large step of all candidates; returns the farthest movement of a joint. */
static double step_all(struct work *work, int count, int passes) {
    double farthest = 0.0;
    for (int i = 0; i < count; i++) {
        double *angles = row_of(work, work->angles, i), *before = work->previous;
        memcpy(before, angles, sizeof *before * (size_t)work->n);
        evaluate(work, angles, work->sides[i]);
        bold(work, angles, 1.0, passes, angles);
        for (int k = 0; k < work->n; k++) farthest = larger(farthest, fabs(angles[k] - before[k]));
    }
    return farthest;
}

/* Writes merit, mean cosine and aim error of all candidates. */
static void rate(struct work *work, int count) {
    for (int i = 0; i < count; i++) {
        evaluate(work, row_of(work, work->angles, i), work->sides[i]);
        work->merit[i] = merit_of(work), work->cosine[i] = work->pose.cosine, work->size[i] = work->pose.size;
    }
}

/* Moves the picked candidates to the front, in their order. */
static void keep(struct work *work, const int32_t *picked, int count) {
    size_t row = sizeof(double) * (size_t)work->n;
    for (int i = 0; i < count; i++) {
        memcpy(row_of(work, work->others, i), row_of(work, work->angles, picked[i]), row);
        work->speeds[i] = work->sides[picked[i]];
    }
    memcpy(work->angles, work->others, row * (size_t)count);
    memcpy(work->sides, work->speeds, sizeof(double) * (size_t)count);
}

/* The candidates after the smallest joint change that removes their linearised aim error. */
static void step_toward_aim(struct work *work, double *angles, const double *sides, int count) {
    for (int k = 0; k < work->n; k++) {
        work->lower[k] = work->model->joint[k].lower, work->upper[k] = work->model->joint[k].upper;
    }
    for (int i = 0; i < count; i++) {
        double *row = row_of(work, angles, i);
        evaluate(work, row, sides[i]);
        corrected(work, row, work->lower, work->upper, row);
    }
}

/* What is compared of two solutions, in this order: errors [rad] of the view and of the whole goal, shape, distance
 * to the posture. */
struct rating {
    double view, whole, shape, change;
};

static int is_better(const struct rating *a, const struct rating *b) {
    if (a->view != b->view) return a->view < b->view;
    if (a->whole != b->whole) return a->whole < b->whole;
    if (a->shape != b->shape) return a->shape < b->shape;
    return a->change < b->change;
}

/* Writes the best of the `tried` best candidates, exactly corrected; returns the steps of its correction. Compared are
 * the errors of the view and of the whole goal, the shape, then the distance to the posture. */
static int finish(struct work *work, int count, int tried, const double *posture, double *best, double *aim_error) {
    int n = work->n, best_steps = 0;
    for (int i = 0; i < count; i++) work->costs[i] = -work->cosine[i];
    sort_by(work->costs, count, work->order);
    for (int i = 0; i < count; i++) work->merit[i] = larger(NEARLY_MET, work->size[work->order[i]]);
    sort_by(work->merit, count, work->picked);
    struct rating best_rating = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < count && i < tried; i++) {
        double *angles = row_of(work, work->angles, work->order[work->picked[i]]);
        int steps = correct_or_look(work, angles, MAX_ITERATIONS);
        double whole = work->pose.size;
        struct rating rating = {larger(MET, view_error(work)), larger(MET, whole), 0.0, 0.0};
        if (tried > 1) {
            double change = 0.0;
            evaluate(work, angles, 0.0);
            for (int k = 0; k < n; k++) change += (angles[k] - posture[k]) * (angles[k] - posture[k]);
            rating.shape = -rint(SHAPE_DIGITS * work->pose.cosine) / SHAPE_DIGITS;
            rating.change = sqrt(change);
        }
        if (i > 0 && !is_better(&rating, &best_rating)) continue;
        best_rating = rating, best_steps = steps, *aim_error = whole;
        memcpy(best, angles, sizeof *best * (size_t)n);
    }
    return best_steps;
}

int32_t limber_search(const struct limber_problem *problem, const struct limber_seeds *seeds, double *best,
                      struct limber_end_error *errors, double *values) {
    struct work work;
    const struct model *model = problem ? model_in(problem->model) : NULL;
    if (!model) return LIMBER_MODEL;
    int32_t wrong = check_seeds(seeds, model->joints);
    if (!wrong) wrong = begin(problem, LIMBER_SEARCH(seeds->spreads), &work);
    if (wrong) return wrong;
    size_t row = sizeof(double) * (size_t)work.n;
    int count = write_starts_from_scratch(&work, seeds, problem->posture), steps = 0, spared = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int step = 0; step < ROUND[round].steps; step++) {
            steps++;
            if (step_all(&work, count, ROUND[round].passes) < CONVERGED) break;
        }
        rate(&work, count);
        sort_by(work.merit, count, work.order);
        int kept = ROUND[round].kept < count ? ROUND[round].kept : count;
        if (round == 0) { /* in the first round candidates are still far from their optima */
            memcpy(work.picked, work.order, sizeof *work.picked * (size_t)kept);
        } else {
            kept = distinct(work.model, work.angles, work.order, count, kept, work.picked);
        }
        keep(&work, work.picked, kept);
        count = kept;
        if (round == 0) {
            spared = count;
            memcpy(work.spare, work.angles, row * (size_t)count);
            memcpy(work.spare_sides, work.sides, sizeof(double) * (size_t)count);
        }
    }
    for (int i = 0; i < POLISHING_STEPS; i++) step_toward_aim(&work, work.angles, work.sides, count);
    rate(&work, count);
    double aim_error = INFINITY;
    memcpy(work.others, work.angles, row * (size_t)count);
    int more = finish(&work, count, 1, problem->posture, best, &aim_error);
    if (aim_error > MET) {
        memcpy(work.angles, work.others, row * (size_t)count);
        for (int i = 0; i < RESCUE_STEPS; i++) step_toward_aim(&work, work.spare, work.spare_sides, spared);
        memcpy(row_of(&work, work.angles, count), work.spare, row * (size_t)spared);
        count += spared;
        memcpy(row_of(&work, work.angles, count++), problem->posture, row);
        for (int i = 0; i < count; i++) work.sides[i] = 0.0;
        rate(&work, count);
        more = finish(&work, count, RESCUES, problem->posture, best, &aim_error);
    }
    evaluate(&work, best, 0.0);
    write_end_errors(&work, errors);
    values[0] = aim_error, values[1] = (double)(steps + POLISHING_STEPS + more);
    return LIMBER_OK;
}
