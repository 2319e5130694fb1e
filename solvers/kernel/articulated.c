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

/* Adds a rotation's weight, and the torque that it is drawn by. */
static void carry_turn(struct node *node, const struct turn *turn) {
    for (int i = 3; i < BASE; i++) node->carried[BASE * i + i] += turn->weight;
    add_scaled(turn->weight, turn->error, node->drawn + 3);
}

/* Adds a position's weight as a mass at the link, and the force that it is drawn by. */
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
        node->drawn[i] += force[i], node->drawn[3 + i] += torque[i];
    }
}

static void reset(const struct least_squares *problem) {
    for (int i = 0; i <= problem->body->joints; i++) {
        struct node *node = &problem->nodes[i];
        memcpy(node->inertia, node->carried, sizeof node->inertia);
        memcpy(node->force, node->drawn, sizeof node->force);
    }
}

static void add_to_parent(struct node *parent, const double *inertia, const double *force) {
    for (int k = 0; k < BASE * BASE; k++) parent->inertia[k] += inertia[k];
    for (int k = 0; k < BASE; k++) parent->force[k] += force[k];
}

static void feel(struct node *node) {
    for (int k = 0; k < BASE; k++) node->felt[k] = dot6(node->inertia + BASE * k, node->motion);
}

void assemble(struct least_squares *problem, const struct turn *turns, int turn_count, const struct move *moves,
              int move_count, double least_damping) {
    int n = problem->body->joints;
    struct node *nodes = problem->nodes;
    double steepest = 0.0, *damped = problem->damped;
    for (int i = 0; i <= n; i++) {
        memset(nodes[i].carried, 0, sizeof nodes[i].carried);
        memset(nodes[i].drawn, 0, sizeof nodes[i].drawn);
    }
    for (int i = 0; i < turn_count; i++) carry_turn(&nodes[turns[i].node], &turns[i]);
    for (int i = 0; i < move_count; i++) carry_move(&nodes[moves[i].node], &moves[i]);

    /* The diagonal and the gradient at zero are those of composite bodies. */
    reset(problem);
    problem->largest = problem->steepest = 0.0;
    for (int i = n; i > 0; i--) {
        struct node *node = &nodes[i];
        feel(node);
        node->pivot = dot6(node->motion, node->felt);
        steepest = larger(steepest, node->pivot);
        problem->largest =
            larger(problem->largest, fabs(dot6(node->motion, node->force) + problem->drawn[BASE + i - 1]));
        add_to_parent(&nodes[problem->body->joint[i - 1].parent + 1], node->inertia, node->force);
    }
    for (int k = 0; k < BASE; k++) {
        steepest = larger(steepest, nodes[0].inertia[BASE * k + k]);
        problem->largest = larger(problem->largest, fabs(nodes[0].force[k] + problem->drawn[k]));
    }
    for (int i = 0; i < BASE + n; i++) {
        double own = i < BASE ? nodes[0].inertia[BASE * i + i] : nodes[i - BASE + 1].pivot;
        damped[i] = larger(damped[i], least_damping * steepest);
        problem->steepest = larger(problem->steepest, own + damped[i]);
    }
}

static double bound_of(const struct least_squares *problem, int i, int side) {
    return side < 0 ? problem->lower[i] : problem->upper[i];
}

/* Eliminates joint i, from its node, or moves it to its bound. */
static void eliminate(const struct least_squares *problem, int i, int side) {
    struct node *node = &problem->nodes[i + 1];
    feel(node);
    node->pivot = dot6(node->motion, node->felt) + problem->damped[BASE + i];
    node->pull = dot6(node->motion, node->force) + problem->drawn[BASE + i];
    double moved = side ? bound_of(problem, BASE + i, side) : node->pull / node->pivot;
    double inertia[BASE * BASE], force[BASE];
    for (int k = 0; k < BASE; k++) {
        double scaled = side ? 0.0 : node->felt[k] / node->pivot;
        for (int j = 0; j < BASE; j++) inertia[BASE * k + j] = node->inertia[BASE * k + j] - scaled * node->felt[j];
        force[k] = node->force[k] - node->felt[k] * moved;
    }
    add_to_parent(&problem->nodes[problem->body->joint[i].parent + 1], inertia, force);
}

/* The motion of the base, from the inertia and the force of all that it carries. */
static void solve_base(struct least_squares *problem) {
    struct node *base = problem->nodes;
    double *x = problem->x;
    memset(problem->slope, 0, BASE * sizeof *x);
    if (!problem->body->floating) {
        memset(x, 0, BASE * sizeof *x);
    } else {
        for (int k = 0; k < BASE; k++) {
            base->inertia[BASE * k + k] += problem->damped[k];
            x[k] = base->force[k] + problem->drawn[k];
        }
        solve_positive(BASE, BASE, base->inertia, x);
    }
    memcpy(base->velocity, x, sizeof base->velocity);
}

void least(struct least_squares *problem, const int8_t *sides) {
    int n = problem->body->joints;
    reset(problem);
    for (int i = n - 1; i >= 0; i--) eliminate(problem, i, sides[BASE + i]);
    solve_base(problem);
    for (int i = 0; i < n; i++) {
        struct node *node = &problem->nodes[i + 1];
        const double *velocity = problem->nodes[problem->body->joint[i].parent + 1].velocity;
        double felt = dot6(node->felt, velocity), *x = &problem->x[BASE + i];
        int side = sides[BASE + i];
        *x = side ? bound_of(problem, BASE + i, side) : (node->pull - felt) / node->pivot;
        problem->slope[BASE + i] = side ? felt + node->pivot * *x - node->pull : 0.0;
        for (int k = 0; k < BASE; k++) node->velocity[k] = velocity[k] + *x * node->motion[k];
    }
}
