/* One step of a whole body: the desired motion of its links, its least squares within bounds and constraints, priority
 * level by level, its integration, a second step that corrects the error of linearisation, and further ones that bring
 * contacts to their positions. Source: solvers/whole_body/solver.py, contacts.py and desired_motion.py. */
#include <float.h>
#include <string.h>

#include "articulated.h"
#include "tolerances.h"
#include "turns.h"

/* constants explained in solvers/whole_body: desired_motion.py, law.py, and solver.py for the last two */
#define NO_ROTATION 0.03       /* deviation from 3 of the sum of squared entries from which a matrix is no rotation */
#define BRAKE 0.5              /* share of the joints' acceleration limit used for braking */
#define CORRECTED_ERROR 0.0125 /* [rad or m] linearisation error above which a second step corrects it */
#define LEAST_DAMPING 1e-8     /* with active constraints, as a fraction of the largest diagonal entry */
#define LINEAR 3

/* State of a step. */
struct stepper {
    struct limber_body_step *step;
    const struct body *body;
    struct least_squares problem;
    struct turn *turns;
    struct move *moves;
    struct node *before;     /* nodes before the step */
    struct turn *left_turns; /* desired rotations that remain for a correction */
    struct move *left_moves;   /* likewise desired displacements */
    double *damped, *downhill; /* (6 + n,) damping, and pull toward the posture, of the step */
    double *least, *most;      /* (6 + n,) [m, rad] bounds of the step's whole move */
    double *joints;            /* (n,) [rad or m] joint values before a further move */
    int8_t *sides;             /* (6 + n,) bounds active before the step, or in a further move */
    double *forces;            /* (r,) forces of its constraints before a level's solve */
    double mean_square;        /* [rad^2 and m^2] mean squared error of all targets */
};

/* Takes the arrays from `memory`; returns their size [bytes], also if `memory` is NULL. */
static size_t laid_out(struct stepper *stepper, char *memory, int joints, int turning, int placed, size_t rows) {
    struct pieces pieces = {memory, 0};
    struct least_squares *problem = &stepper->problem;
    size_t count = BASE + (size_t)joints, real = sizeof(double);
    double **vectors[] = {&problem->damped, &problem->downhill, &problem->least,    &problem->most,     &problem->diagonal,
                          &problem->at,     &problem->left,     &problem->lower,    &problem->upper,    &problem->x,
                          &problem->slope,  &problem->start,    &problem->scaled,   &stepper->damped,   &stepper->downhill,
                          &stepper->least,  &stepper->most,     &stepper->joints};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = take(&pieces, count, real);
    problem->nodes = take(&pieces, 1 + (size_t)joints, sizeof *problem->nodes);
    stepper->before = take(&pieces, 1 + (size_t)joints, sizeof *stepper->before);
    stepper->turns = take(&pieces, (size_t)turning, sizeof *stepper->turns);
    stepper->moves = take(&pieces, (size_t)placed, sizeof *stepper->moves);
    stepper->left_turns = take(&pieces, (size_t)turning, sizeof *stepper->left_turns);
    stepper->left_moves = take(&pieces, (size_t)placed, sizeof *stepper->left_moves);
    stepper->sides = take(&pieces, count, sizeof *stepper->sides);
    stepper->forces = take(&pieces, rows, real);
    problem->rows = take(&pieces, rows, sizeof *problem->rows);
    problem->pushes = take(&pieces, rows, real);
    problem->halves = take(&pieces, rows * count, real);
    problem->compliance = take(&pieces, rows * rows, real);
    return pieces.bytes;
}

size_t limber_body_workspace_bytes(const struct limber_body *body) {
    struct stepper stepper;
    if (!limber_body_bytes(body)) return 0;
    return laid_out(&stepper, NULL, body->joints, body->turning, body->placed,
                    body_rows(body->couplings, body->contacts, body->levels, body->turning, body->placed));
}

/* Writes the rotation (9,) of a link in the world. */
static void rotation_of(const struct link *link, const struct node *nodes, double *rotation) {
    multiply(nodes[link->joint + 1].frame, link->frame, rotation);
}

/* Writes the position (3,) [m] of a link relative to the base's position. */
static void position_of(const struct link *link, const struct node *nodes, double *position) {
    const double *frame = nodes[link->joint + 1].frame;
    rotate(frame, link->frame + 9, position);
    add_scaled(1.0, frame + 9, position);
}

/* Whether a target has a value: other matrices are no rotations. */
static int is_rotation(const double *turn) {
    double sum = -3.0;
    for (int i = 0; i < 9; i++) sum += turn[i] * turn[i];
    return fabs(sum) < NO_ROTATION;
}

static int is_finite3(const double *a) { return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]); }

/* The largest share of an error [rad] to correct in a step from which links can brake without overshoot. */
static double stoppable(double error, double acceleration, double dt) {
    double rate = BRAKE * acceleration, half = 0.5 * rate * dt;
    double speed = sqrt(half * half + 2.0 * rate * error) - half;
    return error > 0.0 ? smaller(1.0, speed * dt / larger(error, TINY)) : 1.0;
}

/* The desired rotation of link i: by its target's velocity, and a share of the remaining error. */
static void desire_turn(struct stepper *stepper, int i) {
    const struct limber_body_step *step = stepper->step;
    struct turn *turn = &stepper->turns[i];
    const double *target = step->turns + 9 * i, *spin = step->spins + 3 * i;
    double led[3] = {0.0, 0.0, 0.0}, here[9], difference[9], left[3], share = step->turn_shares[i];
    turn->node = stepper->body->turned[i].joint + 1, turn->level = stepper->body->turned[i].level;
    rotation_of(&stepper->body->turned[i], stepper->problem.nodes, turn->rotation);
    step->lost[i] = !is_rotation(target);
    turn->weight = step->lost[i] ? 0.0 : step->turn_weights[i];
    memcpy(here, turn->rotation, sizeof here);
    if (step->has_spins && !step->lost[i] && is_finite3(spin)) {
        double ahead[9];
        add_scaled(step->dt, spin, led);
        exponential(led, ahead);
        multiply(ahead, turn->rotation, here);
    }
    multiply_back(step->lost[i] ? turn->rotation : target, here, difference);
    logarithm(difference, left);
    if (step->acceleration > 0.0)
        share = smaller(share, stoppable(sqrt(dot(left, left)), step->acceleration, step->dt));
    copy3(led, turn->error);
    add_scaled(share, left, turn->error);
}

/* The desired displacement of link i with a position target: by its target's velocity, and a share of the remaining
 * error. */
static void desire_move(struct stepper *stepper, int i) {
    const struct limber_body_step *step = stepper->step;
    struct move *move = &stepper->moves[i];
    const double *target = step->places + 3 * i, *speed = step->speeds + 3 * i;
    int8_t *lost = step->lost + stepper->body->turning + i;
    move->node = stepper->body->positioned[i].joint + 1, move->level = stepper->body->positioned[i].level;
    position_of(&stepper->body->positioned[i], stepper->problem.nodes, move->position);
    *lost = !is_finite3(target);
    move->weight = *lost ? 0.0 : step->weights[i];
    int is_led = step->has_speeds && !*lost && is_finite3(speed);
    for (int k = 0; k < 3; k++) {
        double at = move->position[k] + step->base[9 + k], led = is_led ? step->dt * speed[k] : 0.0;
        move->error[k] = led + step->shares[i] * ((*lost ? at : target[k]) - at - led);
    }
}

/* Writes the desired rotations and displacements of all links, and their mean squared error. */
static void desire(struct stepper *stepper) {
    int turning = stepper->body->turning, placed = stepper->body->placed;
    double sum = 0.0;
    for (int i = 0; i < turning; i++) {
        desire_turn(stepper, i);
        sum += dot(stepper->turns[i].error, stepper->turns[i].error);
    }
    for (int i = 0; i < placed; i++) {
        desire_move(stepper, i);
        sum += dot(stepper->moves[i].error, stepper->moves[i].error);
    }
    stepper->mean_square = sum / larger(turning + placed, 1);
}

/* Writes the damping, the gradient toward the posture, and the bounds of a step. */
static void bound(struct stepper *stepper) {
    const struct limber_body_step *step = stepper->step;
    for (int i = 0; i < BASE + stepper->body->joints; i++) {
        int joint = i - BASE;
        stepper->damped[i] = step->damping + (i < LINEAR ? 0.0 : step->damping_by_error * stepper->mean_square);
        stepper->downhill[i] = joint < 0 ? 0.0 : step->pull * (step->posture[joint] - step->joints[joint]);
        stepper->most[i] = joint >= 0              ? step->most[joint] - step->joints[joint]
                           : stepper->body->floating ? HUGE_VAL
                                                     : 0.0;
        stepper->least[i] = joint >= 0 ? step->least[joint] - step->joints[joint] : -stepper->most[i];
    }
}

/* Adds three constraint rows of a link: its displacement at a position [m], or its rotation. */
static void add_link_rows(struct stepper *stepper, int node, const double *position, const double *values) {
    for (int k = 0; k < 3; k++) {
        struct row *row = &stepper->problem.rows[stepper->problem.row_count++];
        double unit[3] = {k == 0, k == 1, k == 2};
        memset(row, 0, sizeof *row);
        row->node = node;
        if (position) {
            copy3(unit, row->wrench);
            cross(position, unit, row->wrench + 3);
        } else {
            copy3(unit, row->wrench + 3);
        }
        row->lower = row->upper = values[k];
    }
}

/* Adds a constraint row for each coupling, at joint values (n,). */
static void add_coupling_rows(struct stepper *stepper, const double *joints) {
    const struct body *body = stepper->body;
    for (int i = 0; i < body->couplings; i++) {
        struct row *row = &stepper->problem.rows[stepper->problem.row_count++];
        double at = 0.0;
        memset(row, 0, sizeof *row);
        row->factors = body->factors + (size_t)i * (size_t)body->joints;
        for (int k = 0; k < body->joints; k++) at += row->factors[k] * joints[k];
        row->lower = body->lowest[i] - at, row->upper = body->highest[i] - at;
    }
}

/* Writes the rows of couplings and contacts at the nodes' pose, which has joint values (n,) and the base's position
 * (3). */
static void constrain(struct stepper *stepper, const double *joints, const double *base) {
    const struct limber_body_step *step = stepper->step;
    stepper->problem.row_count = 0;
    add_coupling_rows(stepper, joints);
    for (int i = 0; i < step->contacts; i++) {
        int node = step->contact_joints[i] + 1;
        const double *frame = stepper->problem.nodes[node].frame;
        double placed[12], missing[3], difference[9];
        compose(frame, step->contact_ends + 12 * i, placed);
        for (int k = 0; k < 3; k++) missing[k] = step->contact_places[3 * i + k] - placed[9 + k] - base[k];
        add_link_rows(stepper, node, placed + 9, missing);
        if (!step->contact_turned[i]) continue;
        multiply_back(step->contact_turns + 9 * i, placed, difference);
        logarithm(difference, missing);
        add_link_rows(stepper, node, NULL, missing);
    }
}

/* Constraint rows that keep lower levels from changing what a level has reached. */
static void keep_level(struct stepper *stepper, const struct turn *turns, const struct move *moves, int level) {
    const struct node *nodes = stepper->problem.nodes;
    for (int i = 0; i < stepper->body->turning; i++)
        if (turns[i].level == level && turns[i].weight > 0.0)
            add_link_rows(stepper, turns[i].node, NULL, nodes[turns[i].node].velocity + 3);
    for (int i = 0; i < stepper->body->placed; i++) {
        const double *velocity = nodes[moves[i].node].velocity;
        double moved[3];
        if (moves[i].level != level || !(moves[i].weight > 0.0)) continue;
        cross(velocity + 3, moves[i].position, moved);
        add_scaled(1.0, velocity, moved);
        add_link_rows(stepper, moves[i].node, moves[i].position, moved);
    }
}

/* Writes the move of a step to `at`, priority level by level. Reads the step's active bounds and the constraints'
 * forces, and replaces them by those of the lowest level; gradient and bounds are those of the problem. */
static void solve(struct stepper *stepper, const struct turn *turns, const struct move *moves) {
    struct limber_body_step *step = stepper->step;
    const struct body *body = stepper->body;
    struct least_squares *problem = &stepper->problem;
    size_t count = BASE + (size_t)body->joints;
    int constraints = problem->row_count;
    memcpy(stepper->sides, step->sides, count);
    for (int r = 0; r < constraints; r++) problem->rows[r].force = step->forces[r];
    for (int level = 0; level < body->levels; level++) {
        memcpy(step->sides, stepper->sides, count);
        memcpy(problem->damped, stepper->damped, count * sizeof *problem->damped);
        if (level) {
            keep_level(stepper, turns, moves, level - 1);
            for (int r = 0; r < problem->row_count; r++) problem->rows[r].force = 0.0;
        }
        assemble(problem, turns, body->turning, moves, body->placed, level, LEAST_DAMPING);
        int stopped = 0;
        step->rounds = constrained_minimum(problem, step->sides, &stopped);
        step->stopped |= stopped;
    }
    problem->row_count = constraints;
    for (int r = 0; r < constraints; r++) {
        step->forces[r] = problem->rows[r].force;
        step->yielded[r] = violation(&problem->rows[r]) != 0.0;
    }
}

/* Writes joints and base after the move `at` (6 + n,) from `joints` (n,) and `base` (12,) to the arrays of the result,
 * and updates the nodes. */
static void integrate(struct stepper *stepper, const double *joints, const double *base) {
    int n = stepper->body->joints;
    const double *x = stepper->problem.at;
    double *joints_after = stepper->step->moved, *base_after = joints_after + n, turn[9], before[9];
    for (int i = 0; i < n; i++) {
        const struct joint *joint = &stepper->body->joint[i];
        joints_after[i] = clamped(joints[i] + x[BASE + i], joint->lower, joint->upper);
    }
    memcpy(before, base, sizeof before);
    exponential(x + 3, turn);
    multiply(turn, before, base_after);
    make_orthonormal(base_after);
    for (int k = 0; k < 3; k++) base_after[9 + k] = base[9 + k] + x[k];
    body_forward(stepper->body, joints_after, base_after, stepper->problem.nodes);
}

/* Whether the error of linearisation of the step from the nodes `before` must be corrected. */
static int needs_correction(const struct stepper *stepper) {
    const struct body *body = stepper->body;
    const struct node *after = stepper->problem.nodes;
    const double *x = stepper->problem.at, *base = stepper->step->base + 9, *base_after = stepper->step->moved + body->joints + 9;
    double square = 0.0, worst = 0.0;
    for (int i = LINEAR; i < BASE + body->joints; i++) square = larger(square, x[i] * x[i]);
    /* three revolute joints at one position with different axes have an error this large */
    if (1.5 * square < CORRECTED_ERROR) return 0;
    for (int i = 0; i < body->turning; i++) {
        const struct turn *turn = &stepper->turns[i];
        double rotation[9], difference[9], error[3];
        if (turn->weight <= 0.0) continue;
        rotation_of(&body->turned[i], after, rotation);
        multiply_back(rotation, turn->rotation, difference);
        logarithm(difference, error);
        add_scaled(-1.0, stepper->before[turn->node].velocity + 3, error);
        worst = larger(worst, dot(error, error));
    }
    for (int i = 0; i < body->placed; i++) {
        const struct move *move = &stepper->moves[i];
        const double *velocity = stepper->before[move->node].velocity;
        double position[3], turned[3], error[3];
        if (move->weight <= 0.0) continue;
        position_of(&body->positioned[i], after, position);
        cross(velocity + 3, move->position, turned);
        for (int k = 0; k < 3; k++)
            error[k] = position[k] + base_after[k] - move->position[k] - base[k] - velocity[k] - turned[k];
        worst = larger(worst, dot(error, error));
    }
    return worst > CORRECTED_ERROR * CORRECTED_ERROR;
}

/* Writes the bounds of a further move: those of the whole move minus the moves already made. */
static void bound_rest(struct stepper *stepper) {
    const struct limber_body_step *step = stepper->step;
    for (int i = 0; i < BASE + stepper->body->joints; i++) {
        double past = i < BASE ? 0.0 : step->moved[i - BASE] - step->joints[i - BASE];
        stepper->problem.least[i] = smaller(stepper->least[i] - past, 0.0);
        stepper->problem.most[i] = larger(stepper->most[i] - past, 0.0);
    }
}

/* A second Gauss-Newton step, from the result of the first. Bounds and damping are those of both moves together. */
static void correct_linearisation(struct stepper *stepper) {
    const struct body *body = stepper->body;
    struct limber_body_step *step = stepper->step;
    struct least_squares *problem = &stepper->problem;
    double base_after[12], *joints_after = step->moved;
    memcpy(base_after, joints_after + body->joints, sizeof base_after);
    for (int i = 0; i < body->turning; i++) {
        struct turn *left = &stepper->left_turns[i];
        double desired[9], goal[9], difference[9];
        *left = stepper->turns[i];
        exponential(left->error, desired);
        multiply(desired, left->rotation, goal);
        rotation_of(&body->turned[i], problem->nodes, left->rotation);
        multiply_back(goal, left->rotation, difference);
        logarithm(difference, left->error);
    }
    for (int i = 0; i < body->placed; i++) {
        struct move *left = &stepper->left_moves[i];
        *left = stepper->moves[i];
        position_of(&body->positioned[i], problem->nodes, left->position);
        for (int k = 0; k < 3; k++)
            left->error[k] += stepper->moves[i].position[k] + step->base[9 + k] - left->position[k] - base_after[9 + k];
    }
    for (int i = 0; i < BASE + body->joints; i++) {
        double past = i < BASE ? problem->at[i] : joints_after[i - BASE] - step->joints[i - BASE];
        problem->downhill[i] = stepper->downhill[i] - stepper->damped[i] * past;
    }
    bound_rest(stepper);
    constrain(stepper, joints_after, base_after + 9);
    solve(stepper, stepper->left_turns, stepper->left_moves);
    memcpy(stepper->joints, joints_after, (size_t)body->joints * sizeof *joints_after);
    integrate(stepper, stepper->joints, base_after);
}

/* The largest error [m or rad] of equality rows. */
static double largest_error(const struct least_squares *problem) {
    double largest = 0.0;
    for (int r = 0; r < problem->row_count; r++)
        if (problem->rows[r].lower == problem->rows[r].upper)
            largest = larger(largest, fabs(problem->rows[r].lower));
    return largest;
}

/* Whether one of the step's constraints is violated. */
static int has_yielded(const struct stepper *stepper) {
    int yielded = 0;
    for (int r = 0; r < stepper->problem.row_count; r++) yielded |= violation(&stepper->problem.rows[r]) != 0.0;
    return yielded;
}

/* Moves the links of contacts to their positions, and the links of targets as little as possible, in repeated moves
 * that each square the error of linearisation. Returns whether it made any. */
static int meet_contacts(struct stepper *stepper) {
    const struct body *body = stepper->body;
    struct limber_body_step *step = stepper->step;
    struct least_squares *problem = &stepper->problem;
    double base[12], left = DBL_MAX, *joints_after = step->moved;
    int is_corrected = 0;
    while (!has_yielded(stepper)) {
        double last = left;
        int stopped;
        memcpy(base, joints_after + body->joints, sizeof base);
        memcpy(stepper->joints, joints_after, (size_t)body->joints * sizeof *joints_after);
        constrain(stepper, stepper->joints, base + 9);
        left = largest_error(problem);
        if (!(left >= EXACT && left <= 0.5 * last)) break;
        for (int i = 0; i < body->turning; i++) {
            struct turn *still = &stepper->left_turns[i];
            *still = stepper->turns[i];
            still->weight = step->turn_weights[i];
            memset(still->error, 0, sizeof still->error);
        }
        for (int i = 0; i < body->placed; i++) {
            struct move *still = &stepper->left_moves[i];
            *still = stepper->moves[i];
            still->weight = step->weights[i];
            position_of(&body->positioned[i], problem->nodes, still->position);
            memset(still->error, 0, sizeof still->error);
        }
        for (int i = 0; i < BASE + body->joints; i++) problem->damped[i] = step->damping, problem->downhill[i] = 0.0;
        memset(stepper->sides, 0, BASE + (size_t)body->joints);
        bound_rest(stepper);
        assemble(problem, stepper->left_turns, body->turning, stepper->left_moves, body->placed, EVERY_LEVEL,
                 LEAST_DAMPING);
        constrained_minimum(problem, stepper->sides, &stopped);
        if (has_yielded(stepper)) break;
        integrate(stepper, stepper->joints, base);
        is_corrected = 1;
    }
    return is_corrected;
}

/* Writes the velocity [m/s, rad/s] since the state before the step, and the frames. */
static void write_result(const struct stepper *stepper, int is_corrected) {
    const struct limber_body_step *step = stepper->step;
    int n = stepper->body->joints;
    const double *joints = step->moved, *base = joints + n;
    double *velocity = step->moved + n + 12, difference[9];
    if (is_corrected) {
        subtract(base + 9, step->base + 9, velocity);
        multiply_back(base, step->base, difference);
        logarithm(difference, velocity + 3);
    } else {
        memcpy(velocity, stepper->problem.at, BASE * sizeof *velocity);
    }
    for (int k = 0; k < BASE; k++) velocity[k] /= step->dt;
    for (int i = 0; i < n; i++) velocity[BASE + i] = (joints[i] - step->joints[i]) / step->dt;
    for (int i = 0; i <= n; i++) {
        const double *frame = stepper->problem.nodes[i].frame;
        double *matrix = step->frames + 16 * (i ? stepper->body->row[i - 1] : 0);
        for (int k = 0; k < 3; k++) {
            copy3(frame + 3 * k, matrix + 4 * k);
            matrix[4 * k + 3] = frame[9 + k];
        }
        matrix[12] = matrix[13] = matrix[14] = 0.0, matrix[15] = 1.0;
    }
}

/* Number of a step's constraints. */
static size_t constraints_of(const struct limber_body_step *step, const struct body *body) {
    size_t count = (size_t)body->couplings;
    for (int i = 0; i < step->contacts; i++) count += step->contact_turned[i] ? 6 : 3;
    return count;
}

/* LIMBER_OK, or the code of the first error in a step's contacts. */
static int32_t check_contacts(const struct limber_body_step *step, const struct body *body) {
    if (step->contacts < 0 || step->contacts > body->contacts) return LIMBER_SIZE;
    size_t q = (size_t)step->contacts;
    if (!is_within(step->contact_ends, 12 * q, LARGEST) || !is_within(step->contact_places, 3 * q, LARGEST) ||
        !is_within(step->contact_turns, 9 * q, LARGEST) || !is_within(step->forces, constraints_of(step, body), LARGEST))
        return LIMBER_NOT_FINITE;
    for (size_t i = 0; i < q; i++)
        if (step->contact_joints[i] < -1 || step->contact_joints[i] >= body->joints) return LIMBER_JOINT;
    return LIMBER_OK;
}

/* LIMBER_OK, or the code of the first error in the input. */
static int32_t checked(const struct limber_body_step *step, const struct body *body) {
    size_t n = (size_t)body->joints, k = (size_t)body->turning, p = (size_t)body->placed;
    double settings[] = {step->dt, step->acceleration, step->damping, step->damping_by_error, step->pull};
    if (!is_within(step->joints, n, FARTHEST) || !is_within(step->base, 12, LARGEST) ||
        !is_within(step->posture, n, LARGEST) || !is_within(step->turn_weights, k, LARGEST) ||
        !is_within(step->weights, p, LARGEST) || !is_within(step->turn_shares, k, LARGEST) ||
        !is_within(step->shares, p, LARGEST) || !is_within(settings, 5, LARGEST))
        return LIMBER_NOT_FINITE;
    if (!(step->dt > 0.0 && step->damping > 0.0 && step->most_rounds >= 0)) return LIMBER_SIZE;
    for (size_t i = 0; i < n; i++)
        if (!(step->least[i] <= step->most[i])) return LIMBER_JOINT;
    for (size_t i = 0; i < BASE + n; i++)
        if (step->sides[i] < -1 || step->sides[i] > 1) return LIMBER_SIZE;
    return check_contacts(step, body);
}

int32_t limber_body_step(struct limber_body_step *step) {
    struct stepper stepper;
    const struct body *body = step ? body_in(step->body) : NULL;
    if (!body) return LIMBER_MODEL;
    size_t bytes = laid_out(&stepper, step->workspace, body->joints, body->turning, body->placed,
                            body_rows(body->couplings, body->contacts, body->levels, body->turning, body->placed));
    if (!step->workspace || ((uintptr_t)step->workspace & 15) || step->workspace_bytes < bytes) return LIMBER_SIZE;
    int32_t error = checked(step, body);
    if (error) return error;
    struct least_squares *problem = &stepper.problem;
    size_t size = (BASE + (size_t)body->joints) * sizeof(double);
    stepper.step = step, stepper.body = problem->body = body;
    problem->most_rounds = step->most_rounds;
    step->stopped = 0;
    body_forward(body, step->joints, step->base, problem->nodes);
    desire(&stepper);
    bound(&stepper);
    memcpy(problem->downhill, stepper.downhill, size);
    memcpy(problem->least, stepper.least, size);
    memcpy(problem->most, stepper.most, size);
    constrain(&stepper, step->joints, step->base + 9);
    solve(&stepper, stepper.turns, stepper.moves);
    memcpy(stepper.before, problem->nodes, (1 + (size_t)body->joints) * sizeof *stepper.before);
    integrate(&stepper, step->joints, step->base);
    int is_corrected = step->corrects && needs_correction(&stepper);
    if (is_corrected) correct_linearisation(&stepper);
    if (step->contacts) is_corrected |= meet_contacts(&stepper);
    write_result(&stepper, is_corrected);
    if (!is_within(step->moved, 2 * (size_t)body->joints + 18, LARGEST)) return LIMBER_NOT_FINITE;
    return LIMBER_OK;
}
