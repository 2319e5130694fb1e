#include "coordinate_descent.h"

#include "phases.h"

/* squared pull up to which the target counts as having no lever arm about the joint (solvers/coordinate_descent.py) */
#define NO_PULL (SAME_ANGLE * SAME_ANGLE)

/* Angles that a sweep allows: any, those within limits, or those within limits but not exactly at one. */
enum range { ANYWHERE, WITHIN_LIMITS, OFF_LIMITS };

/* Result of one sweep. */
struct swept {
    Quaternion end;
    double moved; /* [rad] the largest rotation */
    int aims;     /* whether the end's direction was met before the end of the sweep */
};

/* Rotation of a joint that aligns the projections of two vectors on the plane across its axis
 * (`pull_of_vectors(...).best_rotation`). */
static double best_rotation(double across, double level) {
    return across * across + level * level <= NO_PULL ? 0.0 : atan2(across, level);
}

/* Rotation [rad] about the axis that brings one direction nearest to another. */
static double toward_vector(Vector axis, Vector now, Vector desired) {
    double across = dot(axis, cross(now, desired));
    return best_rotation(across, dot(now, desired) - dot(now, axis) * dot(desired, axis));
}

/* Rotation [rad] about the axis that brings one orientation nearest to another. */
static double toward_frame(Vector axis, Quaternion now, Quaternion desired) {
    Quaternion turn = multiply(desired, conjugate(now));
    double along = turn.x * axis.x + turn.y * axis.y + turn.z * axis.z;
    return best_rotation(2.0 * turn.w * along, turn.w * turn.w - along * along);
}

/* Cosine of the angle between the end's direction and the target. */
static double gain_of(const struct end_aim *aim, Quaternion end) { return dot(rotate(end, Y), aim->direction); }

/* Whether joints rotate toward the whole orientation; the roll of an end that is a twister is set by its joint
 * alone. */
static int is_whole(const struct chain *chain, const struct end_aim *aim) {
    return aim->has_orientation && !end_is_twister(chain);
}

/* The angle [rad] moved to one that `range` allows, `edge` [rad] from limits. */
static double limited(const JointModel *model, double angle, enum range range, double edge) {
    if (range == ANYWHERE) return angle;
    double safe = safe_angle(model, angle);
    return range == OFF_LIMITS ? off_edge(model, safe, edge) : safe;
}

/* One sweep: each joint rotates toward the direction or, with `whole`, toward the whole orientation, and is then moved
 * to an angle that `range` allows. */
static struct swept sweep(const struct chain *chain, struct chain_pose *pose, const struct end_aim *aim,
                          const Hyperparameters *hyper, enum range range, int tip_first, int whole) {
    int count = chain->count;
    const Quaternion *bases = bases_of(chain, pose); /* those before the sweep, since they are not computed again in it */
    struct swept swept = {bases[count], 0.0, 0};
    Quaternion moved = IDENTITY; /* rotation of the preceding links in this sweep, from the root */
    for (int i = 0; i < count; i++) {
        int k = tip_first ? count - 1 - i : i;
        /* CCDTest (Algorithm 20) */
        swept.aims = !whole && 0.5 * (1.0 - gain_of(aim, swept.end)) <= hyper->ccd_precision;
        if (swept.aims) return swept;
        Vector axis = rotate(bases[k], chain->models[k].axis);
        if (!tip_first) axis = rotate(moved, axis);
        double turn = whole ? toward_frame(axis, swept.end, nearest(aim, swept.end))
                            : toward_vector(axis, rotate(swept.end, Y), aim->direction);
        double before = pose->joints[k].angle, desired = fabs(turn) > SAME_ANGLE ? before + turn : before;
        double after = limited(&chain->models[k], desired, range, hyper->disturbance), amount = after - before;
        if (amount == 0.0) continue;
        if (fabs(amount) > swept.moved) swept.moved = fabs(amount);
        set_angle(chain, pose, k, after);
        Quaternion rotated = about(axis, amount);
        swept.end = multiply(rotated, swept.end);
        moved = multiply(rotated, moved);
    }
    return swept;
}

/* Sets the angle of an end that is a twister to the one that meets the orientation; `before` [rad]: its angle
 * before. */
static void twist_end(const struct chain *chain, struct chain_pose *pose, const struct end_aim *aim, double before) {
    int end = chain->count - 1;
    if (!end_is_twister(chain) || !aim->has_orientation) return;
    Quaternion basis = bases_of(chain, pose)[end];
    set_angle(chain, pose, end, end_twist(&chain->models[end], basis, aim->orientation, aim->symmetric, before));
}

void bwcd_posture(const struct chain *chain, struct chain_pose *pose, const struct end_aim *aim,
                  const Hyperparameters *hyper) {
    for (int i = 0; i < hyper->max_bwcd_iterations; i++)
        if (sweep(chain, pose, aim, hyper, ANYWHERE, 0, 0).aims) break;
}

void bwcd_solution(const struct chain *chain, struct chain_pose *pose, const struct end_aim *aim,
                   const Hyperparameters *hyper, double before) {
    int whole = is_whole(chain, aim);
    for (int i = 0; i < hyper->max_bwcd_iterations; i++) {
        struct swept swept = sweep(chain, pose, aim, hyper, WITHIN_LIMITS, 0, whole);
        if (swept.aims || swept.moved <= SAME_ANGLE) break;
    }
    twist_end(chain, pose, aim, before);
}

void ccd(const struct chain *chain, struct chain_pose *pose, const struct end_aim *aim, const Hyperparameters *hyper) {
    int whole = is_whole(chain, aim);
    enum range range = hyper->avoid_edges && hyper->disturbance != 0.0 ? OFF_LIMITS : WITHIN_LIMITS;
    double last = 0.0;
    for (int i = 0; i < hyper->max_ccd_iterations; i++) {
        struct swept swept = sweep(chain, pose, aim, hyper, range, 1, whole);
        double gain = whole ? fabs(dot_quaternions(nearest(aim, swept.end), swept.end)) : gain_of(aim, swept.end);
        if (swept.aims || fabs(gain - last) <= hyper->ccd_precision) break;
        last = gain;
    }
    twist_end(chain, pose, aim, 0.0);
}
