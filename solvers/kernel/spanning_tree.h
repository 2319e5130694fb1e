/* One mechanism, prepared once: its spanning tree, bodies, closures and clusters of loops; and its configurations.
 *
 * Source: solvers/mechanism/tree.py, loops.py and clusters.py.
 */
#ifndef LIMBER_SPANNING_TREE_H
#define LIMBER_SPANNING_TREE_H

#include "mechanism.h"
#include "model.h"

#define COMPONENTS 9 /* number of components of `kinds.Row`; the next three constants are their indices */
#define FIRST_TURN 3
#define FIRST_SWING 6
#define CROSS 8
#define MOST_ROWS 6 /* most rows of a closure */

/* An elementary joint. */
struct tree_joint {
    struct joint joint;
    int kind, first; /* first: index of the joint's first coordinate */
    int width, ball; /* width: number of coordinates; ball: index among the spherical joints, or -1 */
};

/* A frame that a joint carries. */
struct carried {
    int joint; /* index of the joint; -1: the world */
    double frame[12];
};

/* How a coordinate moves the child's end relative to the parent's. */
struct influence {
    int coordinate, column; /* column: its column in the cluster's block */
    double sign;
};

struct closure {
    struct carried ends[2]; /* frames on the parent and on the child */
    int driven, cluster, mask; /* mask: components that the closure constrains */
    int rows, first_row, block_row; /* block_row: the closure's first row in the cluster's block */
    int component[MOST_ROWS];
    int influences;
    struct influence *influence;
};

struct cluster {
    int rows, columns, passive; /* passive: number of columns that no actuator drives */
    int *row;             /* (rows,) indices of the cluster's residuals among those of all loops */
    int *column;          /* (columns,) indices of the cluster's coordinates */
    int *passive_column;  /* (passive,) indices of its passive columns */
    size_t block, factor; /* offsets of its block (rows, columns) and its factor (rows, rows) */
    size_t mode;          /* offset of the cluster's numbers in an assembly mode */
};

struct mechanism {
    uint64_t mark;
    const void *self; /* address at which it was prepared */
    int joints, coordinates, balls, bodies, closures, driven, clusters, rows, moving;
    int has_speeds, most_rows, most_columns; /* the last two: most rows and columns of a cluster */
    double size;
    size_t block_count, factor_count, mode_count, influence_count;
    struct tree_joint *joint;
    struct carried *body;
    double *masses, *centres;
    struct closure *closure;
    struct cluster *cluster;
    struct influence *influence;
    int *indices; /* indices of all clusters, one after another */
    int *is_actuated;
    double *lower, *upper, *velocity, *unit; /* (v,) limits [rad or m]; velocity limits [per s]; units [rad or m] */
};

/* Coordinates of a mechanism with the quantities that depend on them. */
struct configuration {
    double *values; /* (v,) [rad or m] */
    double *balls;  /* (k, 9) rotations of the spherical joints */
    double *frames; /* (n, 12) frames of the joints after their own motion */
    double *gap;    /* (r,) weighted residuals of the loops */
    double *error;  /* (e,) errors of the tasks */
    double open;    /* largest residual [rad or sizes] */
    double square;  /* sum of the squared errors */
    int users;      /* number of users; 0: the memory is free */
    long serial;    /* serial number of its contents */
};

/* The mechanism in the memory; NULL if there is none. */
const struct mechanism *mechanism_in(const void *memory);

/* Frames (n, 12) of the joints at `values` (v,) and `balls` (k, 9). */
void tree_forward(const struct mechanism *mechanism, const double *values, const double *balls, double *frames);

/* Frame (12) in the world of a frame that a joint carries. */
void place(const struct carried *carried, const double *frames, double *frame);

/* Screws (v, 6) per unit step in each coordinate: angular velocity, and velocity at the world's origin. */
void tree_screws(const struct mechanism *mechanism, const double *frames, double *screws);

/* Values and balls after a step (v,) in units of the coordinates. */
void tree_moved(const struct mechanism *mechanism, const struct configuration *from, const double *step, double *values,
                double *balls);

/* Weighted residuals (r,) of the loops; `driven` (d, 13) as in `limber_mechanism_solve`. */
void loop_gaps(const struct mechanism *mechanism, const double *frames, const double *driven, double *gap);

/* Jacobian of these residuals for unit steps, as blocks of the clusters. */
void loop_blocks(const struct mechanism *mechanism, const double *frames, const double *driven, const double *screws,
                 double *blocks);

/* Residual of a closure: the larger of distance [m] and true angle [rad]. */
double closure_size(const struct mechanism *mechanism, int closure, const double *frames, const double *driven);

#endif
