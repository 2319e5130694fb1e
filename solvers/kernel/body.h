/* One body, prepared once: its joints and the links that have targets. */
#ifndef LIMBER_BODY_H
#define LIMBER_BODY_H

#include "model.h"
#include "whole_body.h"

#define BASE 6 /* unknowns of the base: linear, then angular velocity, in the world */

/* A link, which a joint carries. */
struct link {
    int joint; /* -1: the base */
    int level; /* priority of its target */
    double frame[12];
};

struct body {
    uint64_t mark;
    const void *self; /* where it was prepared */
    int joints, turning, placed, couplings, levels, contacts, floating;
    struct joint *joint;
    struct link *turned, *positioned;
    double *factors;         /* (c, n) of the couplings */
    double *lowest, *highest; /* (c,) their bounds */
    int32_t *row; /* (n,) of the frames that a step returns */
};

/* Rows of a step with so many contacts: of couplings, of contacts, and of what priority levels keep. */
size_t body_rows(int couplings, int contacts, int levels, int turning, int placed);

/* The body in the memory, or NULL. */
const struct body *body_in(const void *memory);

#endif
