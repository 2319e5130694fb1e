/* Exports of the compiled core of the gaze solvers.
 *
 * Plain mathematics on arrays that the caller owns: no allocation, no state between calls, no library but
 * C's. Every function checks sizes and that numbers are finite, and returns LIMBER_OK, or an error code
 * without any effect. Names and formulas are those of the Python reference in solvers/expressive,
 * solvers/erik, solvers/kinematics, solvers/least_squares and motion.
 *
 * Angles are in radians, lengths in metres; a frame is 12 numbers: a rotation (3, 3) row by row, then a
 * position (3).
 */
#ifndef LIMBER_H
#define LIMBER_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define LIMBER_EXPORT __declspec(dllexport)
#else
#define LIMBER_EXPORT __attribute__((visibility("default")))
#endif

#define LIMBER_VERSION 10 /* version of the functions and their arguments */

enum limber_error {
    LIMBER_OK = 0,
    LIMBER_SIZE,       /* a count or setting is out of range, memory is too small, or a pointer is missing */
    LIMBER_NOT_FINITE, /* a number is not finite, or is so large that its square is not */
    LIMBER_MODEL,      /* the memory does not hold a model, or was moved */
    LIMBER_GOAL,       /* a goal names an end that does not exist, or an aim that is unknown */
    LIMBER_JOINT,      /* a parent does not come before its child, or a lower limit is above its upper limit */
};

/* One skeleton as arrays: n joints, l shape directions, e ends. */
struct limber_skeleton {
    int32_t joints, directions, ends;
    int32_t hold_body;         /* whether rotation of the body as a whole counts as a change of shape */
    double reach;              /* [m] reach of the skeleton */
    double transition_speed;   /* [rad/s] largest speed of a transition */
    const int32_t *parents;    /* (n,) -1: the base */
    const int32_t *prismatic;  /* (n,) 1 for a prismatic joint, 0 for a revolute one */
    const double *rests;       /* (n, 12) frames in the parents' frames, at zero */
    const double *axes;        /* (n, 3) unit vectors in the joints' frames */
    const double *lower;       /* (n,) [rad or m] lower limits */
    const double *upper;       /* (n,) [rad or m] upper limits */
    const int32_t *carriers;   /* (l,) joint whose frame holds a direction */
    const double *vectors;     /* (l, 3) [m] directions in that joint's frame */
    const int32_t *slides;     /* (l,) prismatic joint at which a direction ends; -1: none */
    const double *weights;     /* (l,) weights of the directions */
    const int32_t *end_joints; /* (e,) joint that carries an end */
    const double *end_frames;  /* (e, 12) frame of each end in that joint's */
};

/* Flags of the parts that an aim prescribes; an aim has the sum of its flags. */
enum limber_part {
    LIMBER_ORIENTATION = 1,
    LIMBER_POSITION = 2,
    LIMBER_DIRECTION = 4, /* the end looks along the direction `view` */
    LIMBER_POINT = 8,     /* the end looks at the point `view` */
    LIMBER_UPRIGHT = 16,  /* the end is upright relative to `up` */
    LIMBER_LEVEL = 32,    /* the posture's roll relative to `level` is preferred */
    LIMBER_ALL_PARTS = 63,
};

/* The goal of one end. All numbers are doubles, so that a caller can hold many goals in one array. */
struct limber_aim {
    double end, parts, weight, symmetric; /* the weight is relative to the largest of the goal's */
    double position[3], orientation[4]; /* [m]; unit quaternion (w, x, y, z) */
    double view[3]; /* unit vector of a direction, or position [m] of a point */
    double up[3], level[3]; /* unit vectors */
};

/* A path's kind of movement: the branch itself, which follows the goal; no transition; a transition that holds the aim;
 * a straight one. */
enum limber_kind { LIMBER_FOLLOW, LIMBER_STAY, LIMBER_WITH_AIM, LIMBER_STRAIGHT };

LIMBER_EXPORT int32_t limber_version(void);

/* Size [bytes] of the model of a skeleton, and of a workspace for `candidates` configurations and `aims`
 * goals of ends; 0 if a count is out of range. */
LIMBER_EXPORT size_t limber_model_bytes(const struct limber_skeleton *skeleton);
LIMBER_EXPORT size_t limber_workspace_bytes(const void *model, int32_t aims, int32_t candidates);

/* Writes the model of a skeleton to memory, which must not be moved afterwards. */
LIMBER_EXPORT int32_t limber_model(void *memory, size_t bytes, const struct limber_skeleton *skeleton);

/* A problem, with the memory in which to solve it. */
struct limber_problem {
    const void *model;
    void *workspace;             /* scratch memory, not kept between calls */
    size_t workspace_bytes;
    const double *posture;       /* (n,) [rad or m] posture whose shape is kept, within limits */
    const struct limber_aim *aim; /* (aims,) aims of the ends */
    int32_t aims;
    double keep;                 /* weight of the shape, 0 to 1 */
};

/* Frames (n, 12) of joints after their own motion and their axes (n, 3), in the base. */
LIMBER_EXPORT int32_t limber_forward(const void *model, const double *angles, double *frames, double *axes);

/* Minimises x' H x / 2 - g' x within bounds, as `boxes.boxed`; scratch has n n + 3 n numbers. */
LIMBER_EXPORT int32_t limber_boxed(int32_t n, const double *matrix, const double *descent, const double *least,
                                   const double *most, int32_t passes, double *x, double *scratch);

/* One configuration: its aim error (r,), Jacobian (n, r), and the system (n, n), (n,) of its shape, lower triangle.
 * `values` (6,) are r, the size of the error, the mean cosine, the rotation's cosine and sine, and the merit. */
LIMBER_EXPORT int32_t limber_evaluate(const struct limber_problem *problem, const double *angles, double side,
                                      double *error, double *columns, double *matrix, double *descent, double *values);

/* Configurations (m, n) after a number of large steps toward shape and aim; `sides` and
 * `shape` (m,) as for `ShapeDescent.bold`. `values` (3, m) are their merits, mean cosines and aim errors [rad]. */
LIMBER_EXPORT int32_t limber_descend(const struct limber_problem *problem, int32_t candidates, double *angles,
                                     const double *sides, const double *shape, int32_t steps, int32_t passes,
                                     double *values);

/* Errors of an end, as `EndError` of solvers/aims/blocks.py. */
struct limber_end_error {
    /* [rad] error of the view or orientation: without the roll; with it, if the goal prescribes one */
    double angle, whole;
    double distance;      /* [m] error of the position */
    double is_at_target;  /* whether the end is at the very point that it should look at */
};

/* Starting configurations of branches, in addition to those around the posture. */
struct limber_seeds {
    int32_t spreads;
    const double *spread; /* (spreads, n) configurations spread over the joints' ranges */
    const double *mirror; /* (n,) factors of the joints that mirror a shape */
};

/* The best configuration (n,) from scratch, and the errors (aims,) of its ends; `values` (2,) are its aim error and the
 * number of steps. The workspace must have room for `LIMBER_SEARCH` candidates. */
#define LIMBER_SEARCH(spreads) (2 * (16 + (spreads)) + 16)
LIMBER_EXPORT int32_t limber_search(const struct limber_problem *problem, const struct limber_seeds *seeds, double *best,
                                    struct limber_end_error *errors, double *values);

/* One frame of tracking: its start and its result. */
struct limber_frame {
    const double *start;    /* (n,) [rad or m] angles of the last frame, within limits */
    const double *velocity; /* (n,) [rad/s or m/s] velocities in the last frame */
    double dt;              /* [s] duration of the frame */
    double trust;           /* trust region, as a fraction of the largest speed of the joints */
    double damping;         /* fraction of the inertia of local steps */
    double *branch;         /* (n,) configuration of the branch toward which a transition goes; it follows the goal */
    double speed;           /* [rad/s] speed of the transition */
    int32_t kind;           /* kind of the transition; afterwards LIMBER_STAY if it has ended */
    int32_t is_still;       /* whether the goal stands still */
    double *angles;         /* (n,) [rad or m] result */
    struct limber_end_error *errors; /* (aims,) errors of the result */
    double aim_error, merit;
    int32_t steps;
};

LIMBER_EXPORT int32_t limber_local_frame(const struct limber_problem *problem, struct limber_frame *frame);
LIMBER_EXPORT int32_t limber_transition_frame(const struct limber_problem *problem, struct limber_frame *frame);

/* Velocity of an end's aim. */
struct limber_velocity {
    double turn[3];  /* [rad/s] rotation vector of an orientation or direction */
    double drift[3]; /* [m/s] velocity of a position */
};

/* Writes the goals (count, aims) at `count` times [s] from now, extrapolated from their velocities
   (aims,), which decay. */
LIMBER_EXPORT int32_t limber_forecast(const struct limber_aim *aim, const struct limber_velocity *moving, int32_t aims,
                                      const double *times, int32_t count, struct limber_aim *goals);

#define LIMBER_BRANCH_STEPS 3 /* number of steps of starting configurations toward the future goal */
/* largest number of starts that take more than one step: these many of the best by merit, and these many
   of the best by estimated cost */
#define LIMBER_KEPT 30
#define LIMBER_POOL 10        /* largest number of branches that are kept from plan to plan and simulated */
#define LIMBER_MOST_STEPS 64  /* largest number of steps of a simulation */

/* The plan of a frame; the problem's aims are replaced by the future ones when branches are followed. The
 * workspace has room for (LIMBER_POOL + 1) (steps + 1) candidates, and for LIMBER_STARTS. */
struct limber_plan {
    const double *angles; /* (n,) [rad or m] angles at its start */
    double dt;            /* [s] duration of a frame */
    double speed;         /* [rad/s] speed of the transition in progress */
    double hysteresis;    /* [deg] margin by which another path must be cheaper than the one in progress */
    double *branch;       /* (n,) branch of the transition in progress; afterwards of the chosen one */
    int32_t kind;         /* kind of that transition; LIMBER_STAY if there is none */
    int32_t is_new;       /* result: whether another transition than the one in progress was chosen */
    int32_t is_lasting;   /* whether the loss of the aim lasts: the aim error at the end is then decisive */
    int32_t is_straight_only; /* whether only straight transitions may be chosen */
    int32_t steps, pooled;
    const struct limber_seeds *seeds;
    const double *durations; /* (steps,) [s] durations of a simulation's steps */
    const struct limber_aim *goals; /* (steps, aims) goals at these steps */
    double *pool; /* (LIMBER_POOL + 1, n) the `pooled` known branches; afterwards the best on different branches */
};

/* Largest number of starts of a plan, for a skeleton with n joints. */
#define LIMBER_STARTS(n, spreads) (LIMBER_POOL + 1 + 2 * (16 + (spreads)) + 4 * (n))

LIMBER_EXPORT int32_t limber_plan(const struct limber_problem *problem, struct limber_plan *plan);

/* The exact correction of a configuration, and its result. */
struct limber_correction {
    double *angles;      /* (n,) [rad or m] the configuration; afterwards the corrected one */
    const double *costs; /* (n,) costs of the joints; NULL: all 1 */
    struct limber_end_error *errors; /* (aims,) errors of the result's ends */
    double aim_error;    /* size [rad] of the remaining error */
    double cosine;       /* mean cosine of the shape deviation from the problem's posture, or 0 */
    int32_t most_steps;  /* largest number of steps; 0: the configuration is only evaluated */
    int32_t looks;       /* whether only the views are corrected if a chain cannot also be upright */
    int32_t measures_shape; /* whether the cosine is computed; if not, the problem's posture is not read */
    int32_t steps;
};

LIMBER_EXPORT int32_t limber_correct(const struct limber_problem *problem, struct limber_correction *correction);

struct limber_vector {
    double x, y, z;
};

struct limber_quaternion {
    double w, x, y, z;
};

/* A revolute joint in ERIK's model: the numbers of `joint_model.JointModel`, where flags are 0 or 1. */
struct limber_joint_model {
    struct limber_vector axis, segment, parent, parent_orthogonal_axis;
    double lower, upper, level, swing, zero, is_twister, has_latitude;
};

/* ERIK's hyperparameters in use, as in solvers/erik/parameters.py. */
struct limber_hyperparameters {
    double orientation_weight, posture_weight, threshold, aggravation, disturbance, progress, ccd_error, ccd_precision;
    int32_t avoid_edges, avoid_edges_from_iteration, non_convergence_offset_trick, non_convergence_ccd_trick;
    int32_t max_iterations, max_bwcd_iterations, max_ccd_iterations, symmetric_endpoint, is_published_loop;
};

/* A joint of a chain, or its tool: its frame at zero in the previous joint's frame, and its unit axis in
   its own frame. */
struct limber_link {
    struct limber_quaternion rest; /* unit quaternion */
    struct limber_vector offset, axis;
    double lower, upper, is_prismatic; /* unused for the tool */
};

/* A skeleton that is a chain, for ERIK. */
struct limber_chain {
    const struct limber_link *links;               /* (n + 1,) the joints, root first, then the tool */
    double reach;                                  /* [m] reach of the skeleton */
    const int32_t *turning;                        /* (revolute,) the skeleton's revolute joints, root first */
    const struct limber_joint_model *joint_models; /* (revolute,) models of these joints */
    struct limber_quaternion to_virtual;           /* rotation from the base frame to the virtual one */
    struct limber_hyperparameters hyper;
    int32_t joints, revolute;
    int32_t max_views;                             /* largest number of solves for one point */
};

/* Size [bytes] of the model of a chain, with room for one solve at a time; 0 if a count is out of range. */
LIMBER_EXPORT size_t limber_erik_bytes(const struct limber_chain *chain);

/* Writes the model of a chain to memory, which must not be moved afterwards. */
LIMBER_EXPORT int32_t limber_erik(void *memory, size_t bytes, const struct limber_chain *chain);

/* One solve of ERIK: the goal, and the result. */
struct limber_erik_solve {
    void *erik;                  /* the model of the chain */
    const struct limber_aim *aim; /* an orientation, a direction or a point */
    const double *posture;       /* (n,) [rad or m] posture to keep */
    const double *previous;      /* (n,) the last solution, within limits; NULL: not used */
    double *angles;              /* (n,) result: joint values [rad or m] */
    double error;                /* result: weighted sum of the errors of aim and posture, which the threshold limits */
    struct limber_end_error end_error;
    int32_t iterations;
};

LIMBER_EXPORT int32_t limber_erik_solve(struct limber_erik_solve *task);

/* A joint's motion filter: its limits, and those of acceleration and jerk with which it plans, as
   `tracking.used_limits`. */
struct limber_filter {
    double lower, upper;           /* [rad or m] position limits */
    double velocity, acceleration, jerk; /* limits, above 0 */
    double used_acceleration, used_jerk; /* limits after the style's sigma and rho, above 0 */
};

/* A joint's state of motion, and the estimated motion of its target, as `tracking.TrackingState`. */
struct limber_filter_state {
    double position, velocity, acceleration;
    double has_target; /* whether a target was observed; else the numbers that follow are not read */
    double target_position, target_velocity, target_acceleration;
    double dt, change, untrusted, smooth_steps, target_jerk;
};

/* The states of joints `dt` [s] later, above 0, on their way to targets (joints,) [rad or m]. */
LIMBER_EXPORT int32_t limber_filter_step(int32_t joints, const struct limber_filter *filters, const double *targets,
                                         double dt, const struct limber_filter_state *before,
                                         struct limber_filter_state *after);

#endif
