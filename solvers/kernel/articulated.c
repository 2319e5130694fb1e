#include "articulated.h"

#include <string.h>

#include "step.h"
#include "tree.h"
#include "vectors.h"

static double dot6(const double *a, const double *b) { return dot(a, b) + dot(a + 3, b + 3); }

void body_forward(const struct body *body, const double *joints, const double *base_rotation, struct node *nodes) {
    memcpy(nodes[0].frame, base_rotation, 9 * sizeof *base_rotation);
    memset(nodes[0].frame + 9, 0, 3 * sizeof *base_rotation);
    for (int i = 0; i < body->joints; i++) {
        const struct joint *joint = &body->joint[i];
        struct node *node = &nodes[i + 1];
        double axis[3];
        joint_frame(joint, joints[i], nodes[joint->parent + 1].frame, node->frame, axis);
        if (joint->prismatic) {
            copy3(axis, node->motion);
            memset(node->motion + 3, 0, 3 * sizeof *axis);
        } else {
            cross(node->frame + 9, axis, node->motion);
            copy3(axis, node->motion + 3);
        }
    }
}

/* Adds a desired rotation to its node: its weight as an inertia, and the torque toward it. */
static void carry_turn(struct node *node, const struct turn *turn) {
    for (int i = 3; i < BASE; i++) node->carried[BASE * i + i] += turn->weight;
    add_scaled(turn->weight, turn->error, node->target_force + 3);
}

/* Adds a desired displacement to its node: its weight as a mass at the link, and the force toward it. */
static void carry_move(struct node *node, const struct move *move) {
    const double w = move->weight, *p = move->position;
    const double arm[9] = {0.0, -p[2], p[1], p[2], 0.0, -p[0], -p[1], p[0], 0.0};
    double force[3] = {w * move->error[0], w * move->error[1], w * move->error[2]}, torque[3];
    cross(p, force, torque);
    for (int i = 0; i < 3; i++) {
        double *linear = node->carried + BASE * i, *angular = node->carried + BASE * (3 + i);
        linear[i] += w;
        for (int j = 0; j < 3; j++) {
            linear[3 + j] -= w * arm[3 * i + j];
            angular[j] += w * arm[3 * i + j];
            angular[3 + j] += w * (i == j ? dot(p, p) - p[i] * p[j] : -p[i] * p[j]);
        }
        node->target_force[i] += force[i], node->target_force[3 + i] += torque[i];
    }
}

/* Prepares the nodes' inertia and force for an elimination. */
static void reset(const struct least_squares *problem) {
    for (int i = 0; i <= problem->body->joints; i++) {
        struct node *node = &problem->nodes[i];
        memcpy(node->inertia, node->carried, sizeof node->inertia);
        memcpy(node->force, node->left, sizeof node->force);
    }
}

static void add_to_parent(struct node *parent, const double *inertia, const double *force) {
    for (int k = 0; k < BASE * BASE; k++) parent->inertia[k] += inertia[k];
    for (int k = 0; k < BASE; k++) parent->force[k] += force[k];
}

/* Writes the node's inertia times its joint's motion to `felt`. */
static void feel(struct node *node) {
    for (int k = 0; k < BASE; k++) node->felt[k] = dot6(node->inertia + BASE * k, node->motion);
}

void assemble(struct least_squares *problem, const struct turn *turns, int turn_count, const struct move *moves,
              int move_count, int level, double least_damping) {
    int n = problem->body->joints;
    struct node *nodes = problem->nodes;
    double steepest = 0.0, *damped = problem->damped;
    for (int i = 0; i <= n; i++) {
        memset(nodes[i].carried, 0, sizeof nodes[i].carried);
        memset(nodes[i].target_force, 0, sizeof nodes[i].target_force);
        memset(nodes[i].left, 0, sizeof nodes[i].left);
    }
    for (int i = 0; i < turn_count; i++)
        if (level == EVERY_LEVEL || turns[i].level == level) carry_turn(&nodes[turns[i].node], &turns[i]);
    for (int i = 0; i < move_count; i++)
        if (level == EVERY_LEVEL || moves[i].level == level) carry_move(&nodes[moves[i].node], &moves[i]);

    /* The diagonal is computed with composite bodies. */
    reset(problem);
    problem->steepest = 0.0;
    for (int i = n; i > 0; i--) {
        struct node *node = &nodes[i];
        feel(node);
        node->pivot = dot6(node->motion, node->felt);
        steepest = larger(steepest, node->pivot);
        add_to_parent(&nodes[problem->body->joint[i - 1].parent + 1], node->inertia, node->force);
    }
    for (int k = 0; k < BASE; k++) steepest = larger(steepest, nodes[0].inertia[BASE * k + k]);
    for (int i = 0; i < BASE + n; i++) {
        double own = i < BASE ? nodes[0].inertia[BASE * i + i] : nodes[i - BASE + 1].pivot;
        damped[i] = larger(damped[i], least_damping * steepest);
        problem->diagonal[i] = own + damped[i];
        problem->steepest = larger(problem->steepest, problem->diagonal[i]);
    }
}

void move_nodes(struct least_squares *problem, const double *x) {
    struct node *nodes = problem->nodes;
    memcpy(nodes[0].velocity, x, sizeof nodes[0].velocity);
    for (int i = 0; i < problem->body->joints; i++) {
        struct node *node = &nodes[i + 1];
        const double *velocity = nodes[problem->body->joint[i].parent + 1].velocity;
        for (int k = 0; k < BASE; k++) node->velocity[k] = velocity[k] + x[BASE + i] * node->motion[k];
    }
}

double row_value(const struct least_squares *problem, const struct row *row, const double *x) {
    double value = 0.0;
    if (!row->factors) return dot6(row->wrench, problem->nodes[row->node].velocity);
    for (int i = 0; i < problem->body->joints; i++) value += row->factors[i] * x[BASE + i];
    return value;
}

void spread_row(const struct least_squares *problem, const struct row *row, double *factors) {
    int n = problem->body->joints;
    if (row->factors) {
        memset(factors, 0, BASE * sizeof *factors);
        memcpy(factors + BASE, row->factors, (size_t)n * sizeof *factors);
        return;
    }
    memcpy(factors, row->wrench, sizeof row->wrench);
    memset(factors + BASE, 0, (size_t)n * sizeof *factors);
    for (int i = row->node - 1; i >= 0; i = problem->body->joint[i].parent)
        factors[BASE + i] = dot6(row->wrench, problem->nodes[i + 1].motion);
}

void start_solves(struct least_squares *problem) {
    int n = problem->body->joints;
    struct node *nodes = problem->nodes;
    move_nodes(problem, problem->at);
    for (int i = 0; i < BASE + n; i++) {
        double at = problem->at[i];
        problem->left[i] = problem->downhill[i] - problem->damped[i] * at;
        problem->lower[i] = problem->least[i] - at, problem->upper[i] = problem->most[i] - at;
    }
    for (int i = 0; i <= n; i++)
        for (int k = 0; k < BASE; k++)
            nodes[i].left[k] = nodes[i].target_force[k] - dot6(nodes[i].carried + BASE * k, nodes[i].velocity);
    for (int r = 0; r < problem->row_count; r++) {
        const struct row *row = &problem->rows[r];
        double push = problem->pushes[r];
        if (row->factors)
            for (int i = 0; i < n; i++) problem->left[BASE + i] -= push * row->factors[i];
        else
            for (int k = 0; k < BASE; k++) nodes[row->node].left[k] -= push * row->wrench[k];
    }
    problem->largest = 0.0;
    for (int i = 0; i <= n; i++) memcpy(nodes[i].force, nodes[i].left, sizeof nodes[i].force);
    for (int i = n; i > 0; i--) {
        struct node *node = &nodes[i], *parent = &nodes[problem->body->joint[i - 1].parent + 1];
        problem->largest =
            larger(problem->largest, fabs(dot6(node->motion, node->force) + problem->left[BASE + i - 1]));
        for (int k = 0; k < BASE; k++) parent->force[k] += node->force[k];
    }
    for (int k = 0; k < BASE; k++)
        problem->largest = larger(problem->largest, fabs(nodes[0].force[k] + problem->left[k]));
}

static double bound_of(const struct least_squares *problem, int i, int side) {
    return side < 0 ? problem->lower[i] : problem->upper[i];
}

/* Eliminates joint i from its node, or moves it to its bound. */
static void eliminate(const struct least_squares *problem, int i, int side) {
    struct node *node = &problem->nodes[i + 1];
    feel(node);
    node->pivot = dot6(node->motion, node->felt) + problem->damped[BASE + i];
    node->pull = dot6(node->motion, node->force) + problem->left[BASE + i];
    double moved = side ? bound_of(problem, BASE + i, side) : node->pull / node->pivot;
    double inertia[BASE * BASE], force[BASE];
    for (int k = 0; k < BASE; k++) {
        double scaled = side ? 0.0 : node->felt[k] / node->pivot;
        for (int j = 0; j < BASE; j++) inertia[BASE * k + j] = node->inertia[BASE * k + j] - scaled * node->felt[j];
        force[k] = node->force[k] - node->felt[k] * moved;
    }
    add_to_parent(&problem->nodes[problem->body->joint[i].parent + 1], inertia, force);
}

/* Factors the base's equations, and writes its forces after forward elimination to x. */
static void eliminate_base(struct least_squares *problem) {
    struct node *base = problem->nodes;
    double *x = problem->x;
    for (int k = 0; k < BASE; k++) {
        base->inertia[BASE * k + k] += problem->damped[k];
        x[k] = base->force[k] + problem->left[k];
    }
    factor_positive(BASE, BASE, base->inertia);
    solve_forward(BASE, BASE, base->inertia, x);
}

/* Adds to `half` (6 + n,) what a force on joint i and a wrench on its node become after elimination of the joints. */
static void eliminate_force(const struct least_squares *problem, const int8_t *sides, int i, double force, double *wrench,
                            double *half) {
    for (; i >= 0; i = problem->body->joint[i].parent) {
        const struct node *node = &problem->nodes[i + 1];
        double pull = dot6(node->motion, wrench) + force, scaled = sides[BASE + i] ? 0.0 : pull / node->pivot;
        half[BASE + i] += pull;
        force = 0.0;
        for (int k = 0; k < BASE; k++) wrench[k] -= scaled * node->felt[k];
    }
    for (int k = 0; k < BASE; k++) half[k] += wrench[k];
}

/* Writes to `half` (6 + n,) what a row becomes after elimination of the joints. */
static void eliminate_row(const struct least_squares *problem, const int8_t *sides, const struct row *row, double *half) {
    int n = problem->body->joints;
    memset(half, 0, (size_t)(BASE + n) * sizeof *half);
    if (!row->factors) {
        double wrench[BASE];
        memcpy(wrench, row->wrench, sizeof wrench);
        eliminate_force(problem, sides, row->node - 1, 0.0, wrench, half);
    } else {
        for (int i = 0; i < n; i++) {
            double wrench[BASE] = {0.0};
            if (row->factors[i] != 0.0) eliminate_force(problem, sides, i, row->factors[i], wrench, half);
        }
    }
    if (problem->body->floating) solve_forward(BASE, BASE, problem->nodes[0].inertia, half);
}

/* Computes the forces of the active rows' springs by the Schur complement; subtracts their effect from the pulls. */
static void load_springs(struct least_squares *problem, const int8_t *sides) {
    int n = problem->body->joints, count = 0, m = problem->row_count;
    struct node *nodes = problem->nodes;
    double *scaled = problem->scaled, *forces = problem->pushes;
    for (int r = 0; r < m; r++) {
        if (!problem->rows[r].is_active) continue;
        double *half = problem->halves + (size_t)count * (size_t)(BASE + n);
        double *entries = problem->compliance + (size_t)count * (size_t)m, move = problem->rows[r].error;
        eliminate_row(problem, sides, &problem->rows[r], half);
        for (int k = 0; k < BASE; k++)
            scaled[k] = problem->body->floating ? half[k] / nodes[0].inertia[BASE * k + k] : 0.0;
        for (int k = 0; k < BASE; k++) move += scaled[k] * problem->x[k];
        for (int i = 0; i < n; i++) {
            int side = sides[BASE + i];
            scaled[BASE + i] = side ? 0.0 : half[BASE + i] / nodes[i + 1].pivot;
            move += side ? half[BASE + i] * bound_of(problem, BASE + i, side) : scaled[BASE + i] * nodes[i + 1].pull;
        }
        for (int q = 0; q <= count; q++) {
            const double *other = problem->halves + (size_t)q * (size_t)(BASE + n);
            double sum = 0.0;
            for (int i = 0; i < BASE + n; i++) sum += scaled[i] * other[i];
            entries[q] = sum;
        }
        entries[count] += 1.0 / problem->stiffness;
        forces[count++] = move;
    }
    solve_positive(count, m, problem->compliance, forces);
    for (int q = 0; q < count; q++) {
        const double *half = problem->halves + (size_t)q * (size_t)(BASE + n);
        for (int k = 0; k < BASE; k++) problem->x[k] -= forces[q] * half[k];
        for (int i = 0; i < n; i++) nodes[i + 1].pull -= forces[q] * half[BASE + i];
    }
}

void least(struct least_squares *problem, const int8_t *sides) {
    int n = problem->body->joints;
    double *x = problem->x;
    reset(problem);
    for (int i = n - 1; i >= 0; i--) eliminate(problem, i, sides[BASE + i]);
    memset(problem->slope, 0, BASE * sizeof *x);
    memset(x, 0, BASE * sizeof *x);
    if (problem->body->floating) eliminate_base(problem);
    if (problem->row_count) load_springs(problem, sides);
    if (problem->body->floating)
        solve_backward(BASE, BASE, problem->nodes[0].inertia, x);
    else
        memset(x, 0, BASE * sizeof *x);
    memcpy(problem->nodes[0].velocity, x, sizeof problem->nodes[0].velocity);
    for (int i = 0; i < n; i++) {
        struct node *node = &problem->nodes[i + 1];
        const double *velocity = problem->nodes[problem->body->joint[i].parent + 1].velocity;
        double felt = dot6(node->felt, velocity), *own = &x[BASE + i];
        int side = sides[BASE + i];
        *own = side ? bound_of(problem, BASE + i, side) : (node->pull - felt) / node->pivot;
        problem->slope[BASE + i] = side ? felt + node->pivot * *own - node->pull : 0.0;
        for (int k = 0; k < BASE; k++) node->velocity[k] = velocity[k] + *own * node->motion[k];
    }
}
