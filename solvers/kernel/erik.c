#include "erik.h"

#include <string.h>

#include "model.h"
#include "phases.h"

size_t erik_laid_out(struct erik *erik, char *memory, size_t joints) {
    struct pieces pieces = {memory, 0};
    double **vectors[] = {&erik->best,   &erik->authored, &erik->weights, &erik->shape,
                          &erik->warped, &erik->angles,   &erik->solved,  &erik->cosines};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = take(&pieces, joints, sizeof(double));
    Quaternion **bases[] = {&erik->bases, &erik->next_bases, &erik->descent.pose.bases};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        *bases[i] = take(&pieces, joints + 1, sizeof(Quaternion));
    erik->descent.axes = take(&pieces, joints, sizeof(Vector));
    return pieces.bytes;
}

/* Writes the cosines of the angles between each hinge's link and the link before, from bases (n + 1,); returns their
 * number. */
static int bend_cosines(const struct chain *chain, const Quaternion *bases, double *cosines) {
    int bends = 0;
    Vector before = chain->models[0].parent;
    for (int k = 0; k < chain->count; k++) {
        Vector link = rotate(bases[k + 1], chain->models[k].segment);
        if (!is_twister(chain, k)) cosines[bends++] = dot(before, link);
        before = link;
    }
    return bends;
}

/* The posture error's authored cosines and weights (Algorithm 6). The exponent counts hinges as Algorithm 6 does, not
 * joints as eq. 21; the norm of eq. 22 is counted alike. */
static void author(struct erik *erik) {
    erik->descent.pose.is_known = 0;
    int bends = bend_cosines(&erik->chain, known_bases(&erik->chain, erik->shape, &erik->descent.pose), erik->authored);
    double sum = 0.0;
    for (int i = 0; i < bends; i++) sum += erik->weights[i] = pow(erik->hyper->aggravation, i);
    for (int i = 0; i < bends; i++) erik->weights[i] /= sum;
}

/* Posture error of bases (n + 1,), 0 to 1 (Algorithm 6). */
static double posture_error(const struct erik *erik, const Quaternion *bases) {
    int bends = bend_cosines(&erik->chain, bases, erik->cosines);
    double sum = 0.0;
    for (int i = 0; i < bends; i++) sum += erik->weights[i] * fabs(erik->authored[i] - erik->cosines[i]);
    return 0.5 * sum;
}

/* The paper's orientation error for an error angle [rad] (eq. 20; Algorithm 5). */
static double papers_error(double angle) { return sqrt(2.0) * sin(0.25 * angle); }

/* Whether the error of the angles `solved` is within the threshold (Algorithm 7); keeps the best angles so far. */
static int accepts(struct erik *erik, const struct end_aim *aim) {
    const Hyperparameters *hyper = erik->hyper;
    const Quaternion *bases = known_bases(&erik->chain, erik->solved, &erik->descent.pose);
    Quaternion end = bases[erik->chain.count];
    double angle = aim->has_orientation ? angle_between(nearest(aim, end), end)
                                        : vector_angle(rotate(end, Y), aim->direction);
    double orientation = papers_error(angle);
    double posture = posture_error(erik, bases);
    double error = hyper->orientation_weight * orientation + hyper->posture_weight * posture; /* Algorithm 4 */
    if (error <= erik->error) {
        memcpy(erik->best, erik->solved, sizeof *erik->best * (size_t)erik->chain.count);
        erik->posture_error = hyper->posture_weight * posture, erik->error = error;
    }
    return error <= hyper->threshold;
}

/* NonConvOffsetTrick as in section 7.1: the target rotated about the root's axis, then its child's. */
static Quaternion offset(struct erik *erik, Quaternion goal) {
    const struct chain *chain = &erik->chain;
    const double *angles = erik->solved, disturbance = erik->hyper->disturbance;
    const Quaternion *bases = known_bases(chain, angles, &erik->descent.pose);
    for (int k = 0; k < 2 && k < chain->count; k++) {
        const JointModel *model = &chain->models[k];
        int to_upper = fabs(angles[k] - model->lower) > fabs(angles[k] - model->upper);
        Vector axis = rotate(bases[k], model->axis);
        goal = multiply(about(axis, to_upper ? disturbance : -disturbance), goal);
    }
    return goal;
}

/* The final trick: CCD from the last angles, else from the previous solution or from zero angles. */
static void try_ccd(struct erik *erik, const struct end_aim *aim, const struct end_aim *current,
                    const double *previous) {
    ccd(&erik->chain, erik->solved, current, erik->hyper, &erik->descent);
    if (accepts(erik, aim)) return;
    for (int k = 0; k < erik->chain.count; k++)
        erik->solved[k] = previous ? previous[k] : safe_angle(&erik->chain.models[k], 0.0);
    erik->descent.pose.is_known = 0;
    ccd(&erik->chain, erik->solved, current, erik->hyper, &erik->descent);
    accepts(erik, aim);
}

static int iterate(struct erik *erik, const struct end_aim *aim, const double *previous) {
    const struct chain *chain = &erik->chain;
    const Hyperparameters *hyper = erik->hyper;
    struct chain_pose *pose = &erik->descent.pose;
    size_t all_bases = sizeof(Quaternion) * ((size_t)chain->count + 1);
    memcpy(erik->warped, erik->shape, sizeof(double) * (size_t)chain->count);
    bwcd_posture(chain, erik->warped, aim, hyper, &erik->descent);
    memcpy(erik->bases, known_bases(chain, erik->warped, pose), all_bases);
    /* Of the two rolls of a symmetric end, the one nearer to the posture's is used. */
    Quaternion end = erik->bases[chain->count], goal = aim->has_orientation ? nearest(aim, end) : end;
    struct end_aim current = *aim;
    double edge_offset = 0.0, last = INFINITY;
    int tried_offset = 0, iteration = 1;
    for (; iteration <= hyper->max_iterations; iteration++) {
        if (hyper->avoid_edges && iteration == hyper->avoid_edges_from_iteration) {
            edge_offset = hyper->disturbance;
            for (int k = 0; k < chain->count; k++)
                erik->warped[k] = off_edge(&chain->models[k], erik->warped[k], edge_offset);
            if (!hyper->is_published_loop || iteration == 1) bases_of(chain, erik->warped, erik->bases);
        }
        forward_phase(chain, erik->bases, goal, edge_offset, !hyper->is_published_loop, erik->angles,
                      erik->next_bases);
        backward_phase(chain, erik->angles, erik->next_bases, aim->has_orientation ? &goal : NULL, aim->symmetric,
                       erik->solved, pose->bases);
        pose->is_known = 1;
        if (accepts(erik, aim)) return iteration;
        bwcd_solution(chain, erik->solved, &current, hyper, 0.0, &erik->descent);
        if (accepts(erik, aim)) return iteration;
        /* The paper gives no formula for NonConversionDetected: an iteration that reduces the least error
         * by too little has converged or cycles. */
        int converges = erik->error < last - hyper->progress;
        last = erik->error;
        if (hyper->is_published_loop) memcpy(erik->bases, known_bases(chain, erik->solved, pose), all_bases);
        if (converges) continue;
        if (hyper->non_convergence_offset_trick && !tried_offset) {
            goal = offset(erik, goal), tried_offset = 1;
            if (hyper->is_published_loop) current.direction = rotate(goal, Y), current.orientation = goal;
        } else if (hyper->non_convergence_ccd_trick) {
            try_ccd(erik, aim, &current, previous);
            return iteration;
        }
    }
    return hyper->max_iterations;
}

int calculate_erik(struct erik *erik, const double *posture, const struct end_aim *aim, const double *previous) {
    const struct chain *chain = &erik->chain;
    int end = chain->count - 1;
    for (int k = 0; k <= end; k++) {
        /* A twister at the root, and at the end where its roll is not free, does not affect the shape. */
        int is_shapeless = is_twister(chain, k) && (k == end ? aim->has_orientation : k == 0);
        erik->shape[k] = is_shapeless ? 0.0 : posture[k];
    }
    author(erik);
    erik->posture_error = erik->error = INFINITY;
    erik->iterations = 0;
    if (previous) {
        memcpy(erik->solved, previous, sizeof *previous * (size_t)chain->count);
        erik->descent.pose.is_known = 0;
        bwcd_solution(chain, erik->solved, aim, erik->hyper, previous[end], &erik->descent);
        if (accepts(erik, aim)) return 1;
        erik->descent.pose.is_known = 0;
    }
    erik->iterations = iterate(erik, aim, previous);
    return erik->error < INFINITY;
}
