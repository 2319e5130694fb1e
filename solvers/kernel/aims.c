#include "aims.h"

#include "tolerances.h"
#include "tree.h"
#include "turns.h"

#define ROLL_WEIGHT 0.1      /* weight of uprightness relative to the view (solvers/aims/blocks.py) */
/* least divisor of the slope of the direction to a point, as a fraction of the reach (solvers/aims/blocks.py) */
#define NEAREST 1e-3

static int parts_of(const struct limber_aim *aim) { return (int)aim->parts; }

static int is_view(int parts) { return parts & (LIMBER_DIRECTION | LIMBER_POINT); }

int rows_of(const struct limber_aim *aim) {
    int parts = parts_of(aim);
    return (parts & LIMBER_ORIENTATION ? 3 : 0) + (parts & LIMBER_POSITION ? 3 : 0) +
           (is_view(parts) ? (parts & LIMBER_UPRIGHT ? 3 : 2) : 0);
}

int32_t check_aims(const struct model *model, const struct limber_aim *aim, int aims) {
    for (int i = 0; i < aims; i++, aim++) {
        if (!is_within((const double *)aim, sizeof *aim / sizeof(double), LARGEST)) return LIMBER_NOT_FINITE;
        if (!(aim->end >= 0.0 && aim->end < model->ends) || aim->end != floor(aim->end)) return LIMBER_GOAL;
        if (!(aim->parts >= 1.0 && aim->parts <= LIMBER_ALL_PARTS) || aim->parts != floor(aim->parts)) return LIMBER_GOAL;
        int parts = parts_of(aim), rows = rows_of(aim);
        if (rows < 1 || rows > ROWS_OF_AIM) return LIMBER_GOAL;
        if ((parts & LIMBER_DIRECTION) && (parts & LIMBER_POINT)) return LIMBER_GOAL;
        if (aim->weight < 0.0 || aim->weight > 1.0) return LIMBER_GOAL;
        if (!is_within(aim->orientation, 4, 2.0)) return LIMBER_NOT_FINITE;
    }
    return LIMBER_OK;
}

/* Whether the aim is met by two opposite rolls of the end. */
static int is_two_sided(const struct limber_aim *aim) {
    int parts = parts_of(aim);
    return aim->symmetric != 0.0 && ((parts & LIMBER_ORIENTATION) || (is_view(parts) && (parts & LIMBER_UPRIGHT)));
}

int sided_aim(const struct limber_aim *aim, int aims) {
    for (int i = 0; i < aims; i++)
        if (is_two_sided(&aim[i])) return i;
    return -1;
}

/* A joint's column of the Jacobian from the row `row` on: reduction of the errors per unit of the joint. */
static double *column_of(struct pose *pose, int joint, int row) { return pose->columns + joint * pose->rows + row; }

/* Writes the errors and columns of an orientation, from row `row` on; `side` chooses the roll of a symmetric end, 0:
 * the nearer one. */
static void orientation(const struct model *model, const struct limber_aim *aim, const double *end,
                        const uint8_t *moves, double side, struct pose *pose, int row) {
    double target[9], turn[9], weight = aim->weight;
    matrix_of(aim->orientation, target);
    if (aim->symmetric != 0.0) {
        /* Sum of the cosines between the axes of target and end, minus that for the target rolled by 180
           degrees, which reverses X and Z. */
        double nearer = 0.0;
        for (int i = 0; i < 9; i++)
            if (i % 3 != 1) nearer += 2.0 * target[i] * end[i];
        if ((side == 0.0 ? nearer : side) < 0.0)
            for (int i = 0; i < 9; i++)
                if (i % 3 != 1) target[i] = -target[i];
    }
    multiply_back(target, end, turn);
    logarithm(turn, pose->error + row);
    for (int i = 0; i < 3; i++) pose->error[row + i] *= weight;
    for (int j = 0; j < model->joints; j++) {
        double factor = moves[j] && !model->joint[j].prismatic ? weight : 0.0, *column = column_of(pose, j, row);
        for (int i = 0; i < 3; i++) column[i] = factor * pose->axes[3 * j + i];
    }
}

/* Writes the errors and columns of a position, from row `row` on. */
static void position(const struct model *model, const struct limber_aim *aim, const double *end, const uint8_t *moves,
                     struct pose *pose, int row) {
    double share = aim->weight / model->reach, velocity[3];
    for (int i = 0; i < 3; i++) pose->error[row + i] = share * (aim->position[i] - end[9 + i]);
    for (int j = 0; j < model->joints; j++) {
        double *column = column_of(pose, j, row);
        velocity_of(model, pose->frames, pose->axes, j, end + 9, velocity);
        for (int i = 0; i < 3; i++) column[i] = moves[j] ? share * velocity[i] : 0.0;
    }
}

/* Rotation [rad] about the view that brings the end upright once its view is on target, and the weight of
 * that rotation. The desired view and `up` are in the end's axes, `sine` is that of the angle between the
 * end's view and the desired view. */
static double roll_of(const struct limber_aim *aim, const double *view, double sine, const double *up, double side,
                      double *weight) {
    double x = view[0], y = view[1], z = view[2];
    double sideways = x * up[0] + z * up[2];
    double far = y < 0.0 ? sine * sine / (1.0 + fabs(y)) : 1.0 + y; /* 1 + y without loss of digits */
    double tilt = up[1] + sideways / far;
    double across = up[0] - x * tilt, along = up[2] - z * tilt;
    if (aim->symmetric != 0.0) {
        double chosen = side == 0.0 ? (along < 0.0 ? -1.0 : 1.0) : side;
        across *= chosen, along *= chosen;
    }
    double shared = sideways + y * up[1], upright = sqrt(larger(0.0, 1.0 - shared * shared));
    *weight = ROLL_WEIGHT * upright;
    return upright > MET ? atan2(across, along) : 0.0;
}

/* Writes the errors and columns of a view, and of its roll if that is prescribed, from row `row` on; `side` as for
 * `orientation`. */
static void view(const struct model *model, const struct limber_aim *aim, const double *end, const uint8_t *moves,
                 double side, struct pose *pose, int row) {
    int parts = parts_of(aim), is_point = parts & LIMBER_POINT, rows = parts & LIMBER_UPRIGHT ? 3 : 2;
    double gap[3], desired[3], by_turn[9], by_move[9], weight = aim->weight, roll_weight = 1.0;
    copy3(aim->view, gap);
    if (is_point) subtract(gap, end + 9, gap);
    rotate_back(end, gap, desired);
    double x = desired[0], y = desired[1], z = desired[2], sine = hypot(x, z);
    if (sine <= NO_DIRECTION) {
        if (hypot(sine, y) <= NO_DIRECTION) y = 1.0; /* of an end at its target, every view is on target */
        x = 0.0, z = NO_DIRECTION; /* at 180 degrees any perpendicular of the view is a rotation axis: X */
        sine = NO_DIRECTION;
    }
    double distance = hypot(sine, y), share = atan2(sine, y) / sine;
    pose->error[row] = weight * (share * z), pose->error[row + 1] = weight * (share * -x);
    /* Rows are along the end's axes X and Z, and along Y for the roll. */
    static const int axes[3] = {0, 2, 1};
    for (int i = 0; i < 3; i++) axis_of(end, axes[i], by_turn + 3 * i);
    if (parts & LIMBER_UPRIGHT) {
        double up[3], unit[3] = {x / distance, y / distance, z / distance};
        rotate_back(end, aim->up, up);
        double roll = roll_of(aim, unit, sine / distance, up, side, &roll_weight);
        pose->error[row + 2] = weight * (roll_weight * roll);
    }
    if (is_point) { /* the direction to the target changes as the end moves */
        double slope = -1.0 / distance / larger(distance, NEAREST * model->reach);
        for (int i = 0; i < 3; i++) {
            double axis[3] = {0.0, 0.0, 0.0}, hat[3];
            axis[axes[i]] = slope;
            cross(desired, axis, hat);
            rotate(end, hat, by_move + 3 * i);
        }
    }
    for (int j = 0; j < model->joints; j++) {
        double *column = column_of(pose, j, row), velocity[3];
        for (int i = 0; i < rows; i++) column[i] = 0.0;
        if (!moves[j]) continue;
        if (!model->joint[j].prismatic)
            for (int i = 0; i < rows; i++) column[i] = dot(pose->axes + 3 * j, by_turn + 3 * i);
        if (is_point) {
            velocity_of(model, pose->frames, pose->axes, j, end + 9, velocity);
            for (int i = 0; i < rows; i++) column[i] += dot(velocity, by_move + 3 * i);
        }
        for (int i = 0; i < rows; i++) column[i] *= i == 2 ? weight * roll_weight : weight;
    }
}

void evaluate_aims(const struct model *model, const struct goal *goal, double side, struct pose *pose) {
    pose->rows = 0;
    for (int i = 0; i < goal->aims; i++) pose->rows += rows_of(&goal->aim[i]);
    int row = 0;
    for (int i = 0; i < goal->aims; i++) {
        const struct limber_aim *aim = &goal->aim[i];
        int parts = parts_of(aim), number = (int)aim->end;
        double end[12], own = i == goal->sided ? side : 0.0;
        const uint8_t *moves = model->moves + (size_t)model->end[number].joint * (size_t)model->joints;
        end_frame(model, pose->frames, number, end);
        if (parts & LIMBER_ORIENTATION) orientation(model, aim, end, moves, own, pose, row), row += 3;
        if (is_view(parts)) view(model, aim, end, moves, own, pose, row), row += parts & LIMBER_UPRIGHT ? 3 : 2;
        if (parts & LIMBER_POSITION) position(model, aim, end, moves, pose, row), row += 3;
    }
    double square = 0.0;
    for (int i = 0; i < pose->rows; i++) square += pose->error[i] * pose->error[i];
    pose->size = sqrt(square);
}
