/* State of one solve of a mechanism.
 *
 * Source: solvers/mechanism/descent.py.
 */
#ifndef LIMBER_DESCENT_OF_LOOPS_H
#define LIMBER_DESCENT_OF_LOOPS_H

#include "least_squares.h"
#include "spanning_tree.h"

/* constants of solvers/mechanism/descent.py, explained there */
#define CLOSE_ENOUGH 1e-4
#define NEAR_SINGULAR 0.01
#define PROBE 0.05
#define ALIKE 0.5

/* room for configurations; in use at once are six: start, result, continuation, trial, two of its closing */
#define SLOTS 8

/* A goal whose numbers have been checked. */
struct task {
    int task, index, rows; /* rows: number of components with a weight above 0 */
    struct carried end;
    double roots[3], target[9];
};

/* Derivatives at a configuration. */
struct linear {
    long serial;     /* serial number of the configuration */
    double *screws;  /* (v, 6) angular and linear velocity per unit step of each coordinate */
    double *blocks;  /* the clusters' blocks of the loops' Jacobian */
    double *slopes;  /* (e, v) Jacobian of the tasks; NULL: without tasks */
};

struct descent {
    const struct mechanism *mechanism;
    const double *driven; /* (d, 13) as in `limber_mechanism_solve` */
    struct task *task;
    /* rows: of the errors (e,), where those of goals come first, then those of regularisers */
    int tasks, rows, goal_rows;
    const double *weight_axes;  /* (3, 3) axes of the weights of positions; NULL: the world's */
    double speed_threshold;     /* 2 - 2 cos of the rotation above which the regulariser of speed applies */
    int closes_only;            /* whether the loops' gaps are the tasks, and nothing has to stay closed */
    int clusters;               /* number of clusters that have to stay closed */

    double *lower, *upper; /* (v,) [rad or m] bounds of the coordinates */
    int is_bounded;
    int32_t *held;         /* (v,) coordinates that the last step would take beyond a bound */
    int32_t *held_before;  /* (v,) those coordinates before a trial step */
    double share, growth;  /* damping as a fraction of the squared error, and factor of the next increase */
    long evaluations, most; /* number of evaluations so far, and the number at which the descent stops */
    long serial;            /* serial number of the last configuration */

    int has_last, has_first;
    double *last_first, *last_rest; /* (v,) motion of the last frame, scaled to this frame's duration */
    double *first;                  /* (v,) first step, according to the linear model */

    struct configuration slots[SLOTS];
    struct linear full, loops; /* derivatives with tasks; derivatives of the loops alone */
    double *masked, *factors;  /* blocks without held coordinates, and factors of their squares */
    double *columns;           /* (e or 1, most columns) rows to project onto a cluster's null space */
    double *pulled;            /* (most rows, e or 1) scratch */
    double *projected;         /* (e, v) tasks' Jacobian in the loops' null space */
    double *square;            /* (min(e, v), min(e, v)) square of `projected` */
    double *wanted;            /* (e,) errors after closing */
    double *shifted;           /* (r,) gaps after moves */
    /* (v,) scratch */
    double *step, *tried, *closing, *moves, *first_moves, *direction, *curved, *slope, *least, *largest;
    double *taken, *onward;    /* (v,) arrays of a continuation */
    double *mode, *scratch;    /* assembly mode, and scratch memory of its determinants */
    double *shares;            /* (n, 4) fraction of mass that a joint moves, and its moment */
    double *sizes;             /* (e,) singular values */
    int *is_held;              /* (v,) whether a coordinate is held at a bound */
};

/* A configuration whose memory is free; its numbers are not initialised. */
struct configuration *acquire(struct descent *descent);
/* Frees the memory of a configuration after the last of its users. */
void release(struct configuration *configuration);

/* Evaluates a configuration at its values and balls. */
void evaluate_at(struct descent *descent, struct configuration *here);

/* The configuration after a step (v,), a new one; a step that is too long is shortened. */
struct configuration *stepped(struct descent *descent, const struct configuration *here, const double *step);

/* Derivatives at a configuration, with or without those of tasks. */
const struct linear *linearised(struct descent *descent, const struct configuration *here, int with_tasks);

/* The step (v,) in units from one configuration to another. */
void difference(const struct descent *descent, const struct configuration *start, const struct configuration *end,
                double *step);

/* The nearest configuration with loops closed to a residual of `enough`; takes ownership of `here`. */
struct configuration *closed(struct descent *descent, struct configuration *here, double enough);

/* The best configuration in at most `iterations` steps, whether it has converged, and the number of steps;
   takes ownership of `here`. */
struct configuration *descend_loops(struct descent *descent, struct configuration *here, int iterations, int *is_settled,
                                    int *count);

/* The solution that continues the last frame's step through a fold, or NULL (`continuation.continued`). */
struct configuration *continued(struct descent *descent, const struct configuration *start,
                                const struct configuration *here, const double *last, int iterations);

/* Errors of the tasks (e,) and, unless `slopes` is NULL, their Jacobian (e, v), which is zeroed before. */
void task_errors(struct descent *descent, const struct configuration *here, const double *screws, double *error,
                 double *slopes);

/* Number of error components of a task. */
int rows_of_task(const struct task *task);

/* Clusters of loops (solvers/mechanism/clusters.py). `factor_loops` factors the squares of blocks; the others use them. */
void factor_loops(const struct descent *descent, const double *blocks);

/* The smallest step (v,) that closes gaps (r,). */
void close_step(const struct descent *descent, const double *blocks, const double *gap, double *step);

/* Rows (count, v) projected onto the loops' null space, in place. */
void project(const struct descent *descent, const double *blocks, double *rows, int count);

/* A gradient (v,) without the loops' constraint forces, in place; factors are those of `free_blocks`. */
void along_free(const struct descent *descent, const double *blocks, const double *free_blocks, double *slope);

/* The next step (v,) within bounds: closes the loops, then reduces task errors in their null space. */
void find_step(struct descent *descent, const struct configuration *here, int is_closing_only, double *step);

/* The projected Jacobian of the tasks (e, v) at a configuration, in `projected`. */
void project_tasks(struct descent *descent, const struct configuration *here);

/* Makes `projected` the unit directions (count, v) along which the tasks act on the coordinates, with their singular values
 * in `sizes`; returns their count. */
int task_directions(struct descent *descent);

/* Assembly modes (solvers/mechanism/branches.py): `begin_mode` writes that of a closed pose, `follow_mode` replaces it
 * by the next one and returns whether a loop has changed to another. `mode` has room for one more number per cluster,
 * `scratch` for `mode_scratch` numbers. */
size_t mode_scratch(const struct mechanism *mechanism);
void begin_mode(const struct mechanism *mechanism, const double *blocks, const double *values, double *mode,
                double *scratch);
int follow_mode(const struct mechanism *mechanism, const double *blocks, const double *values, double *mode,
                double *scratch);

#endif
