/* One configuration with all that a step needs of it: frames, shape directions, aim errors and their Jacobian. */
#ifndef LIMBER_POSE_H
#define LIMBER_POSE_H

#include "model.h"

#define ROWS_OF_AIM 6 /* residual components of one end's aim at most: a position and an orientation */

/* The shape of one authored posture. */
struct authored {
    double keep;       /* weight of the shape */
    double *parts;     /* (l, 3, 3) of each direction: along the base's axis, across it, and that turned by 90 degrees */
    double *end_axes;  /* (e, 9) rotations of the ends in the posture */
};

/* The roll of an end that is preferred: that of the posture against `level`. */
struct roll {
    double cosine, sine; /* of the posture's roll, times the sine from `level` to its view */
};

/* The goals of all ends. */
struct goal {
    int aims;
    const struct limber_aim *aim;
    struct roll *roll; /* (aims,) of those with LIMBER_LEVEL and without LIMBER_UPRIGHT */
    int sided;         /* aim whose side of a symmetric end is tried; -1: none */
    int has_rolls;
};

struct pose {
    double *frames;     /* (n, 12) of the joints */
    double *axes;       /* (n, 3) */
    double *directions; /* (l, 3) unit */
    double *slides;     /* (l, 3) [1/m] their derivatives by the prismatic joints at which they end */
    double turn[2];     /* cosine and sine of the rotation about the base's axis that fits best */
    double cosine;      /* mean cosine of the shape deviation, less the loss of rolls */
    int rows;           /* r */
    double *error;      /* (r,) [rad], positions in shares of the reach */
    double *columns;    /* (n, r) reduction of the error per unit of each joint */
    double size;        /* of the error */
};

#endif
