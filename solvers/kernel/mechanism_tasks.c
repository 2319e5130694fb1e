/* Errors of a mechanism's tasks and their Jacobian. Source: solvers/tasks.py; Schumacher, Knoop, Baecher 2021, section IV. */
#include <string.h>

#include "dense.h"
#include "descent_of_loops.h"
#include "half_angles.h"

int rows_of_task(const struct task *task) {
    int rows = 0;
    if (task->task == LIMBER_TASK_CENTRE || task->task == LIMBER_TASK_BALL) return 3;
    if (task->task == LIMBER_TASK_VALUE) return 1;
    for (int k = 0; k < 3; k++) rows += task->roots[k] != 0.0;
    return rows;
}

/* Adds to the row (v,) of a Jacobian the effect of the coordinates of a joint and its ancestors: `turning` times their
 * angular velocity plus `moving` times their velocity at the origin. */
static void add_motion(const struct mechanism *mechanism, int joint, const double *turning, const double *moving,
                       const double *screws, double *row) {
    for (int i = joint; i >= 0; i = mechanism->joint[i].joint.parent)
        for (int k = 0; k < mechanism->joint[i].width; k++) {
            int q = mechanism->joint[i].first + k;
            const double *screw = screws + 6 * q;
            row[q] += dot(turning, screw) + (moving ? dot(moving, screw + 3) : 0.0);
        }
}

/* Errors of a position along the weights' axes, and their derivatives; without these if `slopes` is NULL, as below. */
static void position_rows(struct descent *descent, const struct task *task, const double *frame, const double *screws,
                          double *error, double *slopes) {
    const double *axes = descent->weight_axes, world[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    double apart[3];
    subtract(frame + 9, task->target, apart);
    for (int k = 0, row = 0; k < 3; k++) {
        double axis[3], turning[3], root = task->roots[k];
        if (root == 0.0) continue;
        axis_of(axes ? axes : world, k, axis);
        error[row] = root * dot(axis, apart);
        if (slopes) {
            for (int j = 0; j < 3; j++) axis[j] *= root;
            cross(frame + 9, axis, turning);
            add_motion(descent->mechanism, task->end.joint, turning, axis, screws,
                       row_of(slopes, row, descent->mechanism->coordinates));
        }
        row++;
    }
}

/* Rows of a rotation's error: vector (count,) and its derivatives (count, 3) by a rotation in the target's axes. */
static void turning_rows(struct descent *descent, const struct task *task, const double *vector, const double *grows,
                         int count, const double *screws, double *error, double *slopes) {
    for (int k = 0, row = 0; k < count; k++) {
        double turning[3], root = task->roots[k];
        if (root == 0.0) continue;
        error[row] = root * vector[k];
        if (slopes) {
            rotate_back(task->target, grows + 3 * k, turning);
            for (int j = 0; j < 3; j++) turning[j] *= root;
            add_motion(descent->mechanism, task->end.joint, turning, NULL, screws,
                       row_of(slopes, row, descent->mechanism->coordinates));
        }
        row++;
    }
}

/* Errors and derivatives of a task for an end: its position, orientation, axis or speed. */
static void end_rows(struct descent *descent, const struct task *task, const struct configuration *here,
                     const double *screws, double *error, double *slopes) {
    double frame[12], turn[9], vector[3], grows[9];
    place(&task->end, here->frames, frame);
    if (task->task == LIMBER_TASK_POSITION) {
        position_rows(descent, task, frame, screws, error, slopes);
        return;
    }
    multiply(task->target, frame, turn);
    if (task->task == LIMBER_TASK_AXIS) {
        double axis[3] = {turn[2], turn[5], turn[8]};
        half_swing(axis, vector, grows);
        turning_rows(descent, task, vector, grows, 2, screws, error, slopes);
        return;
    }
    half_angle(turn, vector, grows);
    if (task->task == LIMBER_TASK_SPEED) { /* equations 4 and 5 of the paper */
        double square = dot(vector, vector), threshold = descent->speed_threshold;
        double over = log(larger(square / threshold, 1.0)), along[3];
        double factor = 3.0 * sqrt(over) / larger(square, threshold);
        for (int j = 0; j < 3; j++)
            along[j] = factor * (vector[0] * grows[j] + vector[1] * grows[3 + j] + vector[2] * grows[6 + j]);
        vector[0] = over * sqrt(over);
        turning_rows(descent, task, vector, along, 1, screws, error, slopes);
        return;
    }
    turning_rows(descent, task, vector, grows, 3, screws, error, slopes);
}

/* Fraction of the total mass that each joint moves, and its moment, in `shares` (n, 4); and the centre of
   the total mass. */
static void add_masses(struct descent *descent, const struct configuration *here, double *centre) {
    const struct mechanism *mechanism = descent->mechanism;
    double *shares = descent->shares;
    memset(shares, 0, 4 * (size_t)mechanism->joints * sizeof *shares);
    centre[0] = centre[1] = centre[2] = 0.0;
    for (int i = 0; i < mechanism->bodies; i++) {
        double frame[12], point[3], mass = mechanism->masses[i];
        int joint = mechanism->body[i].joint;
        if (mass <= 0.0) continue;
        place(&mechanism->body[i], here->frames, frame);
        rotate(frame, mechanism->centres + 3 * i, point);
        add_scaled(1.0, frame + 9, point);
        add_scaled(mass, point, centre);
        if (joint < 0) continue;
        shares[4 * joint] += mass;
        add_scaled(mass, point, shares + 4 * joint + 1);
    }
    for (int i = mechanism->joints - 1; i >= 0; i--) {
        int parent = mechanism->joint[i].joint.parent;
        for (int k = 0; parent >= 0 && k < 4; k++) shares[4 * parent + k] += shares[4 * i + k];
    }
}

/* Errors and derivatives of a task for the centre of mass. */
static void centre_rows(struct descent *descent, const struct task *task, const struct configuration *here,
                        const double *screws, double *error, double *slopes) {
    const struct mechanism *mechanism = descent->mechanism;
    const double world[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    double centre[3], weigh[9];
    add_masses(descent, here, centre);
    add_scaled(-1.0, task->target, centre);
    for (int k = 0; k < 3; k++) {
        axis_of(descent->weight_axes ? descent->weight_axes : world, k, weigh + 3 * k);
        for (int j = 0; j < 3; j++) weigh[3 * k + j] *= task->roots[k];
        error[k] = dot(weigh + 3 * k, centre);
    }
    for (int i = 0; slopes && i < mechanism->joints; i++) {
        const double *share = descent->shares + 4 * i;
        for (int k = 0; k < mechanism->joint[i].width; k++) {
            int q = mechanism->joint[i].first + k;
            const double *screw = screws + 6 * q;
            double moved[3];
            cross(screw, share + 1, moved);
            add_scaled(share[0], screw + 3, moved);
            for (int j = 0; j < 3; j++) row_of(slopes, j, mechanism->coordinates)[q] = dot(weigh + 3 * j, moved);
        }
    }
}

/* Errors and derivatives of a task for the rotation of a ball joint. */
static void ball_rows(struct descent *descent, const struct task *task, const struct configuration *here, double *error,
                      double *slopes) {
    const struct mechanism *mechanism = descent->mechanism;
    double turn[9], grows[9];
    multiply(task->target, here->balls + 9 * task->index, turn);
    half_angle(turn, error, grows);
    for (int i = 0; slopes && i < mechanism->joints; i++) {
        const struct tree_joint *joint = &mechanism->joint[i];
        double product[9];
        if (joint->ball != task->index) continue;
        multiply(grows, turn, product);
        for (int k = 0; k < 3; k++) copy3(product + 3 * k, row_of(slopes, k, mechanism->coordinates) + joint->first);
    }
}

/* The loops' gaps as errors, for assembly (equation 1). */
static void gap_rows(struct descent *descent, const struct configuration *here, const double *screws, double *error,
                     double *slopes) {
    const struct mechanism *mechanism = descent->mechanism;
    memcpy(error, here->gap, (size_t)mechanism->rows * sizeof *error);
    if (!slopes) return;
    loop_blocks(mechanism, here->frames, descent->driven, screws, descent->masked);
    for (int i = 0; i < mechanism->clusters; i++) {
        const struct cluster *cluster = &mechanism->cluster[i];
        for (int k = 0; k < cluster->rows; k++)
            for (int j = 0; j < cluster->columns; j++)
                row_of(slopes, cluster->row[k], mechanism->coordinates)[cluster->column[j]] =
                    line_of(descent->masked + cluster->block, k, cluster->columns)[j];
    }
}

void task_errors(struct descent *descent, const struct configuration *here, const double *screws, double *error,
                 double *slopes) {
    const struct mechanism *mechanism = descent->mechanism;
    if (slopes) memset(slopes, 0, (size_t)descent->rows * (size_t)mechanism->coordinates * sizeof *slopes);
    if (descent->closes_only) {
        gap_rows(descent, here, screws, error, slopes);
        return;
    }
    for (int i = 0; i < descent->tasks; i++) {
        const struct task *task = &descent->task[i];
        switch (task->task) {
        case LIMBER_TASK_CENTRE: centre_rows(descent, task, here, screws, error, slopes); break;
        case LIMBER_TASK_VALUE:
            error[0] = (here->values[task->index] - task->target[0]) / mechanism->unit[task->index];
            if (slopes) slopes[task->index] = 1.0;
            break;
        case LIMBER_TASK_BALL: ball_rows(descent, task, here, error, slopes); break;
        default: end_rows(descent, task, here, screws, error, slopes);
        }
        error += task->rows;
        if (slopes) slopes += (size_t)task->rows * (size_t)mechanism->coordinates;
    }
}
