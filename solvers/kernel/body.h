/* One body, prepared once: its joints and the links that have targets. */
#ifndef LIMBER_BODY_H
#define LIMBER_BODY_H

#include "model.h"
#include "whole_body.h"

#define BASE 6 /* number of unknowns of the base: linear, then angular velocity, in the world */

/* A link with the joint that carries it. */
struct link {
    int joint; /* index of the joint; -1: the base */
    int level; /* priority level of the link's target */
    double frame[12];
};

struct body {
    uint64_t mark;
    const void *self; /* address at which it was prepared */
    int joints, turning, placed, couplings, levels, contacts, floating;
    struct joint *joint;
    struct link *turned, *positioned;
    double *factors;         /* (c, n) of the couplings */
    double *lowest, *highest; /* (c,) bounds of the couplings */
    int32_t *row; /* (n,) rows of the joints among the frames that a step returns */
};

/* Number of rows in a step: from couplings, contacts, and what higher priority levels have reached. */
size_t body_rows(int couplings, int contacts, int levels, int turning, int placed);

/* The body in the memory; NULL if there is none. */
const struct body *body_in(const void *memory);

#endif
