/* One skeleton, prepared once: its joints, the directions that define its shape, and its ends. */
#ifndef LIMBER_MODEL_H
#define LIMBER_MODEL_H

#include "limber.h"

#define MOST_JOINTS 1024
#define MOST_DIRECTIONS 4096
#define MOST_ENDS 1024
#define MOST_AIMS 1024
#define MOST_CANDIDATES 65536
#define ALIGNMENT 16     /* [bytes] alignment of memory, of models and of their parts */
#define FARTHEST 1e9     /* [rad or m] largest absolute value of a joint, as in solvers/kinematics/skeleton.py */
#define LARGEST 1e100    /* largest absolute value of any other number: its square is finite */

struct joint {
    int parent;          /* index of the parent; -1: the base */
    int prismatic;
    double rest[12];     /* frame in the parent's frame, at zero */
    double sine[9];      /* the rotation is rest + sin(q) sine + (1 - cos(q)) versine */
    double versine[9];
    double slide[3];     /* for a prismatic joint: the position is rest + q slide */
    double axis[3];      /* unit vector in the joint's frame */
    double lower, upper;
    double scale;        /* [rad or m] movement that counts as one radian */
};

struct direction {
    int carrier, slide; /* indices of joints; slide is -1 if the direction does not end at a prismatic joint */
    double vector[3];
    double weight;
};

struct end {
    int joint;
    double frame[12];
};

struct model {
    uint64_t mark;
    const void *self; /* address at which it was prepared */
    int joints, directions, ends, hold_body;
    double reach, transition_speed;
    struct joint *joint;
    struct direction *direction;
    struct end *end;
    uint8_t *moves; /* (n, n) whether joint j moves the frame of joint i, at [i n + j] */
};

/* Writes a joint except for its limits and its scale. */
void prepare_joint(struct joint *joint, int parent, int prismatic, const double *rest, const double *axis);

/* Writes `moves` of a model whose joints are written. */
void prepare_moves(struct model *model);

/* The model in the memory; NULL if there is none. */
const struct model *model_in(const void *memory);

/* Whether all numbers are finite and their absolute values at most `largest`. */
int is_within(const double *numbers, size_t count, double largest);

/* Takes pieces of memory one after another; if `memory` is NULL, it only counts. */
struct pieces {
    char *memory;
    size_t bytes;
};
static inline void *take(struct pieces *pieces, size_t count, size_t size) {
    void *piece = pieces->memory ? pieces->memory + pieces->bytes : NULL;
    pieces->bytes += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return piece;
}

#endif
