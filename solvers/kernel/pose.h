/* One configuration with the quantities that a step needs: frames, shape directions, aim errors and their Jacobian. */
#ifndef LIMBER_POSE_H
#define LIMBER_POSE_H

#include "model.h"

#define ROWS_OF_AIM 6 /* most residual components of one end's aim: a position and an orientation */

/* The shape of one authored posture. */
struct authored {
    double keep;       /* weight of the shape */
    double *parts;     /* (l, 3, 3) each direction's parts: along the base's axis, across it, that rotated by 90 degrees */
    double *end_axes;  /* (e, 9) rotations of the ends in the posture */
};

/* The preferred roll of an end: that of the posture relative to `level`. */
struct roll {
    /* cosine and sine of the posture's roll, times the sine of the angle from `level` to its view */
    double cosine, sine;
};

/* The goals of all ends. */
struct goal {
    int aims;
    const struct limber_aim *aim;
    struct roll *roll; /* (aims,) rolls of aims with LIMBER_LEVEL and without LIMBER_UPRIGHT */
    int sided;         /* index of the aim whose two sides are tried; -1 if there is none */
    int has_rolls;
};

struct pose {
    double *frames;     /* (n, 12) frames of the joints */
    double *axes;       /* (n, 3) axes of the joints */
    double *directions; /* (l, 3) unit vectors */
    double *slides;     /* (l, 3) [1/m] the directions' derivatives by the prismatic joints at which they end */
    double turn[2];     /* cosine and sine of the rotation about the base's axis that fits best */
    double cosine;      /* mean cosine of the shape deviation, minus the loss by rolls */
    int rows;           /* number r of components of the aim error */
    double *error;      /* (r,) [rad], positions in fractions of the reach */
    double *columns;    /* (n, r) reduction of the error per unit of each joint */
    double size;        /* size of the error */
};

#endif
