/* The plan of a frame: branches follow the future goal, new ones are searched, and the coming frames of staying and of
 * transitions are simulated; the cheapest path is chosen. Source: solvers/expressive/plan.py and simulation.py.
 *
 * Costs only grow, so a path is simulated no further than until it costs more than the cheapest so far: the choice is
 * that of simulating all. */
#include <string.h>

#include "branches.h"
#include "descent.h"
#include "motion.h"
#include "seeds.h"
#include "tolerances.h"
#include "vectors.h"

/* constants of solvers/expressive/simulation.py and, for HORIZON, prediction.py, explained there */
#define LOST_COST 90.0
#define TAIL 0.5
#define LASTING_TAIL 30.0
#define AIM_TOLERANCE (0.5 * DEGREES)
#define DOUBT 0.1 /* fraction of a path's cost by which another must be cheaper: forecasts are not more exact than that */
#define PERIOD (1.0 / 12.0)
#define HORIZON 0.65 /* [s] */

static const int KINDS[2] = {LIMBER_WITH_AIM, LIMBER_STRAIGHT};

/* Angles (n,) in a row of (m, n). */
static double *row_of(const struct work *work, double *angles, int row) {
    return angles + (size_t)row * (size_t)work->n;
}

/* Shape deviation [rad] of a mean cosine, which losses of rolls can lower below -1. */
static double shape_of(double cosine) { return acos(clamped(cosine, -1.0, 1.0)) + larger(0.0, -1.0 - cosine); }

/* Cost per second [deg of shape deviation]. */
static double cost_rate(double shape, double aim_error, double keep) {
    return (keep * shape + AIM_COST * aim_error) / DEGREES + LOST_COST * smaller(1.0, aim_error / SEEN);
}

/* Time [s] of a straight transition over a distance [rad] of the farthest joint. */
static double duration_of(const struct model *model, double distance) {
    double fastest = model->transition_speed;
    return distance < fastest * fastest / HURRIED ? 2.0 * sqrt(distance / HURRIED)
                                                  : distance / fastest + fastest / HURRIED;
}

/* Simulation of paths. The branches (b, n) at the start of each step, and after the last, are in work->others, one step
 * after another; each is followed only as far as a path needs it. */
struct simulation {
    const struct limber_plan *plan;
    int branches;
    int followed[LIMBER_POOL + 1]; /* number of known steps of each branch */
    double tail, total; /* [s] duration that the last state counts for, and total duration */
    double soon, early; /* [s] time until the next plan, in whole steps; [deg s] cost of the last path until then */
    double last_rate;   /* [deg] cost rate of the last path's final state */
    struct pose coming; /* pose in steps after the first */
};

/* Row of `others` with a branch (n,) in a step of the simulation. */
static double *branch_row(struct work *work, const struct simulation *s, int step, int branch) {
    return row_of(work, work->others, step * s->branches + branch);
}

/* The branch (n,) at the start of a step; finding it changes the evaluated pose and the goal. */
static const double *branch_at(struct work *work, struct simulation *s, int step, int branch) {
    const struct limber_plan *plan = s->plan;
    for (int *at = &s->followed[branch]; *at < step; ++*at) {
        double *angles = branch_row(work, s, *at, branch), none = 0.0;
        set_aims(work, plan->goals + (size_t)*at * (size_t)work->goal.aims);
        evaluate(work, angles, 0.0);
        within_speed(work->model, angles, plan->durations[*at], INFINITY, work->lower, work->upper);
        move_along(work, angles, LIMBER_FOLLOW, angles, &none, plan->durations[*at], plan->dt, work->lower, work->upper,
                   branch_row(work, s, *at + 1, branch));
    }
    return branch_row(work, s, step, branch);
}

/* Mean cost [deg] of a path, or a number above `most` if it costs more than that. */
static double cost_of(struct work *work, struct simulation *s, int kind, int branch, double most) {
    const struct limber_plan *plan = s->plan;
    int n = work->n;
    double speed = plan->speed, cost = 0.0, elapsed = 0.0, *angles = work->path, *next = work->path_next;
    memcpy(angles, plan->angles, sizeof *angles * (size_t)n);
    for (int step = 0; step < plan->steps && cost / s->total <= most; step++) {
        double time = plan->durations[step];
        work->pose = s->coming;
        const double *to = kind == LIMBER_STAY ? angles : branch_at(work, s, step, branch);
        if (step > 0 && kind != LIMBER_STAY && farthest_joint(work->model, angles, to) < ARRIVAL_DISTANCE)
            kind = LIMBER_STAY;
        set_aims(work, plan->goals + (size_t)step * (size_t)work->goal.aims);
        if (step > 0)
            evaluate(work, angles, 0.0);
        else
            work->pose = work->kept;
        within_speed(work->model, angles, time, 1.0, work->lower, work->upper);
        move_along(work, angles, kind, to, &speed, time, plan->dt, work->lower, work->upper, next);
        /* Aim error after the step, by the linear model. */
        double square = 0.0;
        for (int i = 0; i < work->pose.rows; i++) {
            double left = work->pose.error[i];
            for (int k = 0; k < n; k++) left -= (next[k] - angles[k]) * work->pose.columns[k * work->pose.rows + i];
            square += left * left;
        }
        double aim_error = larger(0.0, sqrt(square) - (plan->is_lasting ? 0.0 : AIM_TOLERANCE));
        int is_last = step + 1 == plan->steps;
        s->last_rate = cost_rate(shape_of(work->pose.cosine), aim_error, work->authored.keep);
        cost += (time + (is_last ? s->tail : 0.0)) * s->last_rate;
        elapsed += time;
        if (elapsed <= s->soon) s->early = cost;
        double *swapped = angles;
        angles = next, next = swapped;
    }
    return cost / s->total;
}

/* Chooses among staying and the transitions to the branches at work->others. */
static void choose(struct work *work, struct limber_plan *plan, int branches) {
    struct simulation s = {plan, branches, {0}, plan->is_lasting ? LASTING_TAIL : TAIL, 0.0, 0.0, 0.0, 0.0, work->pose};
    int under_way = plan->kind > LIMBER_STAY, chosen_kind = LIMBER_STAY, chosen = 0;
    for (int i = 0; i < plan->steps; i++) {
        s.total += plan->durations[i];
        if (s.total <= PERIOD) s.soon = s.total;
    }
    s.total += s.tail;
    work->pose = work->kept;
    set_aims(work, plan->goals);
    evaluate(work, plan->angles, 0.0);
    work->kept = work->pose;
    double best = cost_of(work, &s, under_way ? plan->kind : LIMBER_STAY, 0, INFINITY);
    double staying = s.early;
    if (under_way && plan->is_straight_only && plan->kind == LIMBER_WITH_AIM) best = INFINITY;
    double hysteresis = larger(plan->hysteresis, best < INFINITY ? DOUBT * best : 0.0);
    if (under_way) {
        chosen_kind = plan->kind;
        double cost = cost_of(work, &s, LIMBER_STAY, 0, best - hysteresis) + hysteresis;
        if (cost < best) best = cost, chosen_kind = LIMBER_STAY;
    }
    for (int b = 0; b < branches; b++)
        for (int k = plan->is_straight_only; k < 2; k++) {
            if (under_way && b == 0 && KINDS[k] == plan->kind) continue;
            double cost = cost_of(work, &s, KINDS[k], b, best - hysteresis) + hysteresis;
            /* A straight transition loses the aim for the same time, however late it begins: while staying costs less,
             * it waits. */
            int waits = !under_way && KINDS[k] == LIMBER_STRAIGHT && staying < s.soon * s.last_rate;
            if (cost < best && !waits) best = cost, chosen_kind = KINDS[k], chosen = b;
        }
    plan->is_new = chosen_kind != (under_way ? plan->kind : LIMBER_STAY) || (under_way && chosen != 0);
    plan->kind = chosen_kind;
    if (chosen_kind > LIMBER_STAY && plan->is_new)
        memcpy(plan->branch, branch_row(work, &s, 0, chosen), sizeof(double) * (size_t)work->n);
}

/* LIMBER_OK, or the code of the first error in a plan. */
static int32_t check_plan(const struct work *work, const struct limber_plan *plan) {
    size_t n = (size_t)work->n;
    const double numbers[] = {plan->dt, plan->speed, plan->hysteresis};
    if (!is_within(numbers, 3, LARGEST) || !is_within(plan->angles, n, FARTHEST) ||
        !is_within(plan->branch, n, FARTHEST) || !is_within(plan->pool, n * (size_t)plan->pooled, FARTHEST) ||
        !is_within(plan->durations, (size_t)plan->steps, LARGEST))
        return LIMBER_NOT_FINITE;
    for (int i = 0; i < plan->steps; i++)
        if (plan->durations[i] <= 0.0) return LIMBER_SIZE;
    if (plan->dt <= 0.0 || plan->kind < LIMBER_STAY || plan->kind > LIMBER_STRAIGHT) return LIMBER_SIZE;
    return LIMBER_OK;
}

/* A large step of the first `count` starts toward the future goal. Twins differ only in the side of their
   aims. */
static void step_starts(struct work *work, int count, const struct twins *twins) {
    for (int i = 0; i < count; i++) {
        double *angles = row_of(work, work->angles, i);
        int place = i - twins->first, twin = i + twins->count;
        if (place >= twins->count && place < 2 * twins->count) continue;
        evaluate(work, angles, work->sides[i]);
        bold(work, angles, work->speeds[i], COARSE_PASSES, angles);
        if (place < 0 || place >= twins->count) continue;
        change_side(work, work->sides[twin]);
        angles = row_of(work, work->angles, twin);
        bold(work, angles, work->speeds[twin], COARSE_PASSES, angles);
    }
}

/* Writes merits, distances and estimated costs of the first `count` starts. */
static void rate_starts(struct work *work, const struct limber_plan *plan, int count) {
    for (int i = 0; i < count; i++) {
        double *angles = row_of(work, work->angles, i);
        evaluate(work, angles, work->sides[i]);
        work->merit[i] = merit_of(work);
        work->size[i] = farthest_joint(work->model, angles, plan->angles);
        work->costs[i] = cost_rate(shape_of(work->pose.cosine), work->pose.size, work->authored.keep) +
                         LOST_COST * duration_of(work->model, work->size[i]) / (HORIZON + TAIL);
    }
}

/* Moves to the front the starts that are among the best by merit or by estimated cost, in their order; returns their
 * number. */
static int best_starts(struct work *work, int count) {
    if (count <= LIMBER_KEPT) return count;
    for (int i = 0; i < count; i++) work->picked[i] = 0;
    sort_by(work->merit, count, work->order);
    for (int i = 0; i < LIMBER_KEPT; i++) work->picked[work->order[i]] = 1;
    sort_by(work->costs, count, work->order);
    for (int i = 0; i < LIMBER_KEPT; i++) work->picked[work->order[i]] = 1;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (!work->picked[i]) continue;
        memmove(row_of(work, work->angles, kept), row_of(work, work->angles, i), sizeof(double) * (size_t)work->n);
        work->sides[kept] = work->sides[i], work->speeds[kept] = work->speeds[i];
        kept++;
    }
    return kept;
}

int32_t limber_plan(const struct limber_problem *problem, struct limber_plan *plan) {
    struct work work;
    if (!plan || plan->pooled < 0 || plan->pooled > LIMBER_POOL + 1 || plan->steps < 1 ||
        plan->steps > LIMBER_MOST_STEPS)
        return LIMBER_SIZE;
    const struct model *model = problem ? model_in(problem->model) : NULL;
    if (!model) return LIMBER_MODEL;
    int32_t wrong = check_seeds(plan->seeds, model->joints);
    if (wrong) return wrong;
    int32_t room = (LIMBER_POOL + 1) * (plan->steps + 1), starts = LIMBER_STARTS(model->joints, plan->seeds->spreads);
    wrong = begin(problem, starts > room ? starts : room, &work);
    if (!wrong) wrong = check_plan(&work, plan);
    for (int step = 0; !wrong && step < plan->steps; step++)
        wrong = check_goal(&work, plan->goals + (size_t)step * (size_t)work.goal.aims);
    if (wrong) return wrong;
    size_t row = sizeof(double) * (size_t)work.n;
    struct twins twins, none = {0, 0};
    int count = write_starts(&work, plan, problem->posture, &twins);
    step_starts(&work, count, &twins);
    rate_starts(&work, plan, count);
    count = best_starts(&work, count);
    for (int step = 1; step < LIMBER_BRANCH_STEPS; step++) step_starts(&work, count, &none);
    rate_starts(&work, plan, count);
    sort_by(work.merit, count, work.order);
    plan->pooled = distinct(model, work.angles, work.order, count, LIMBER_POOL, work.picked);
    for (int i = 0; i < plan->pooled; i++)
        memcpy(row_of(&work, plan->pool, i), row_of(&work, work.angles, work.picked[i]), row);
    /* The branches that are simulated: that of the transition under way first, then those of least estimated cost. */
    sort_by(work.costs, count, work.order);
    int under_way = plan->kind > LIMBER_STAY, others = 0, branches = 0;
    for (int i = 0; i < count; i++)
        if (work.size[work.order[i]] > SAME_BRANCH) work.order[others++] = work.order[i];
    if (under_way) memcpy(row_of(&work, work.others, branches++), plan->branch, row);
    for (int i = 0; i < others && branches < LIMBER_POOL + under_way; i++) {
        const double *candidate = row_of(&work, work.angles, work.order[i]);
        int is_new = 1;
        for (int k = 0; k < branches && is_new; k++)
            is_new = farthest_joint(model, candidate, row_of(&work, work.others, k)) > SAME_BRANCH;
        if (is_new) memcpy(row_of(&work, work.others, branches++), candidate, row);
    }
    plan->is_new = 0;
    if (branches) choose(&work, plan, branches);
    return LIMBER_OK;
}
