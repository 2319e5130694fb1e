#include "erik.h"

#include <string.h>

#include "model.h"

size_t erik_laid_out(struct erik *erik, char *memory, size_t joints) {
    struct pieces pieces = {memory, 0};
    double **vectors[] = {&erik->best, &erik->authored, &erik->weights, &erik->cosines};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = take(&pieces, joints, sizeof(double));
    struct joint_angle **angles[] = {&erik->warped.joints, &erik->solved.joints, &erik->hung.joints,
                                     &erik->last_hung.joints};
    Quaternion **bases[] = {&erik->warped.bases, &erik->solved.bases, &erik->hung.bases, &erik->last_hung.bases};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        *angles[i] = take(&pieces, joints, sizeof(struct joint_angle));
        *bases[i] = take(&pieces, joints + 1, sizeof(Quaternion));
    }
    return pieces.bytes;
}

/* The weights are those of Algorithm 6, whose exponent counts hinges, not joints as in eq. 21; the norm of eq. 22 is
 * counted alike. */
void prepare_erik(struct erik *erik) {
    int bends = 0;
    double sum = 0.0;
    for (int k = 0; k < erik->chain.count; k++)
        if (!is_twister(&erik->chain, k)) sum += erik->weights[bends] = pow(erik->hyper.aggravation, bends), bends++;
    for (int i = 0; i < bends; i++) erik->weights[i] /= sum;
    erik->warped.bases[0] = erik->solved.bases[0] = IDENTITY;
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

/* Posture error of a pose, 0 to 1 (Algorithm 6). */
static double posture_error(struct erik *erik, struct chain_pose *pose) {
    int bends = bend_cosines(&erik->chain, bases_of(&erik->chain, pose), erik->cosines);
    double sum = 0.0;
    for (int i = 0; i < bends; i++) sum += erik->weights[i] * fabs(erik->authored[i] - erik->cosines[i]);
    return 0.5 * sum;
}

/* Whether the error of the pose `solved` is within the threshold (Algorithm 7); stores the best angles so far. */
static int accepts(struct erik *erik, const struct end_aim *aim) {
    const Hyperparameters *hyper = &erik->hyper;
    int count = erik->chain.count;
    Quaternion end = bases_of(&erik->chain, &erik->solved)[count];
    double angle = aim->has_orientation ? angle_between(nearest(aim, end), end)
                                        : vector_angle(rotate(end, Y), aim->direction);
    double orientation = papers_error(angle);
    double posture = posture_error(erik, &erik->solved);
    double error = hyper->orientation_weight * orientation + hyper->posture_weight * posture; /* Algorithm 4 */
    if (error <= erik->error) {
        for (int k = 0; k < count; k++) erik->best[k] = erik->solved.joints[k].angle;
        erik->end = end, erik->posture_error = hyper->posture_weight * posture, erik->error = error;
    }
    return error <= hyper->threshold;
}

/* NonConvOffsetTrick as in section 7.1: the target rotated by `disturbance` about the root's axis, then about its
 * child's, each toward the joint's nearer limit. */
static Quaternion offset(struct erik *erik, Quaternion goal) {
    const struct chain *chain = &erik->chain;
    double disturbance = erik->hyper.disturbance;
    const Quaternion *bases = bases_of(chain, &erik->solved);
    for (int k = 0; k < 2 && k < chain->count; k++) {
        const JointModel *model = &chain->models[k];
        double angle = erik->solved.joints[k].angle;
        int to_upper = fabs(angle - model->lower) > fabs(angle - model->upper);
        Vector axis = rotate(bases[k], model->axis);
        goal = multiply(about(axis, to_upper ? disturbance : -disturbance), goal);
    }
    return goal;
}

/* The final trick: CCD from the last angles, else from the previous solution or from zero angles. */
static void try_ccd(struct erik *erik, const struct end_aim *aim, const struct end_aim *current,
                    const double *previous) {
    const struct chain *chain = &erik->chain;
    ccd(chain, &erik->solved, current, &erik->hyper);
    if (accepts(erik, aim)) return;
    for (int k = 0; k < chain->count; k++)
        set_angle(chain, &erik->solved, k, previous ? previous[k] : safe_angle(&chain->models[k], 0.0));
    ccd(chain, &erik->solved, current, &erik->hyper);
    accepts(erik, aim);
}

/* Whether the last forward phase ended exactly as the one before. */
static int is_hung_as_before(const struct erik *erik) {
    const struct hung *now = &erik->hung, *before = &erik->last_hung;
    size_t joints = (size_t)erik->chain.count;
    return !memcmp(now->joints, before->joints, joints * sizeof *now->joints) &&
           !memcmp(now->bases, before->bases, (joints + 1) * sizeof *now->bases);
}

/* One iteration: its two phases, then BWCD. Returns whether the error is within the threshold. The rest of an iteration
 * follows from its forward phase: where that ends as in the iteration before, so does the rest. */
static int is_met(struct erik *erik, const struct end_aim *aim, const struct end_aim *current, Quaternion goal,
                  double edge_offset, int iteration) {
    const struct chain *chain = &erik->chain;
    const Hyperparameters *hyper = &erik->hyper;
    struct chain_pose *solved = &erik->solved;
    struct chain_pose *start = hyper->is_published_loop && iteration > 1 ? solved : &erik->warped;
    /* the last result becomes the one before, whose memory gets the new result */
    struct hung memory = erik->last_hung;
    erik->last_hung = erik->hung, erik->hung = memory;
    forward_phase(chain, bases_of(chain, start), goal, edge_offset, !hyper->is_published_loop, &erik->hung);
    int is_same = erik->has_hung && is_hung_as_before(erik);
    erik->has_hung = 1;
    if (is_same) return 0;
    backward_phase(chain, &erik->hung, aim->has_orientation ? &goal : NULL, aim->symmetric, solved);
    if (accepts(erik, aim)) return 1;
    bwcd_solution(chain, solved, current, hyper, 0.0);
    return accepts(erik, aim);
}

/* The iterations of Algorithm 3; returns their number. */
static int iterate(struct erik *erik, const struct end_aim *aim, const double *previous) {
    const struct chain *chain = &erik->chain;
    const Hyperparameters *hyper = &erik->hyper;
    struct chain_pose *warped = &erik->warped;
    bwcd_posture(chain, warped, aim, hyper);
    /* Of the two rolls of a symmetric end, the one nearer to the posture's is used. */
    Quaternion end = bases_of(chain, warped)[chain->count], goal = aim->has_orientation ? nearest(aim, end) : end;
    struct end_aim current = *aim;
    double edge_offset = 0.0, last = INFINITY;
    int tried_offset = 0, iteration = 1;
    erik->has_hung = 0;
    for (; iteration <= hyper->max_iterations; iteration++) {
        if (hyper->avoid_edges && iteration == hyper->avoid_edges_from_iteration) {
            edge_offset = hyper->disturbance;
            for (int k = 0; k < chain->count; k++)
                set_angle(chain, warped, k, off_edge(&chain->models[k], warped->joints[k].angle, edge_offset));
        }
        if (is_met(erik, aim, &current, goal, edge_offset, iteration)) return iteration;
        /* The paper gives no formula for NonConversionDetected: an iteration that reduces the least error
         * by too little has converged or cycles. */
        int converges = erik->error < last - hyper->progress;
        last = erik->error;
        if (converges) continue;
        if (hyper->non_convergence_offset_trick && !tried_offset) {
            goal = offset(erik, goal), tried_offset = 1, erik->has_hung = 0;
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
        set_angle(chain, &erik->warped, k, is_shapeless ? 0.0 : posture[k]);
    }
    bend_cosines(chain, bases_of(chain, &erik->warped), erik->authored);
    erik->posture_error = erik->error = INFINITY;
    erik->iterations = 0;
    if (previous) {
        for (int k = 0; k <= end; k++) set_angle(chain, &erik->solved, k, previous[k]);
        bwcd_solution(chain, &erik->solved, aim, &erik->hyper, previous[end]);
        if (accepts(erik, aim)) return 1;
    }
    erik->iterations = iterate(erik, aim, previous);
    return erik->error < INFINITY;
}
