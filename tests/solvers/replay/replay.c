/* Replays recorded calls of the kernel, on a processor that cannot run the tests themselves.
 *
 * The file of records, argument 1, has one after the other: 'E' of ERIK, with its chain as it lies in memory, the arrays
 * that its pointers name, aim and posture, 'C' of an exact correction, with its skeleton, aim, posture and start, or 'B' of
 * a solve on bones, with its skeleton, aim and authored pose. The results go to standard output as doubles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bones.h"

static char *records, *end_of_records;

/* The next bytes of the records, copied so that they are aligned. */
static void *next(size_t bytes) {
    void *piece = NULL;
    if (bytes > (size_t)(end_of_records - records) || posix_memalign(&piece, 64, bytes + 64)) exit(3);
    memcpy(piece, records, bytes);
    records += bytes;
    return piece;
}

static void *room(size_t bytes) {
    void *piece = NULL;
    if (posix_memalign(&piece, 64, bytes + 64)) exit(3);
    return piece;
}

static void tell(const void *numbers, size_t count) { fwrite(numbers, sizeof(double), count, stdout); }

static void replay_erik(void) {
    struct limber_chain *chain = next(sizeof *chain);
    size_t n = (size_t)chain->joints, revolute = (size_t)chain->revolute;
    chain->links = next((n + 1) * sizeof *chain->links);
    chain->turning = next(revolute * sizeof *chain->turning);
    chain->joint_models = next(revolute * sizeof *chain->joint_models);
    size_t bytes = limber_erik_bytes(chain);
    struct limber_erik_solve task = {.erik = room(bytes)};
    if (limber_erik(task.erik, bytes, chain)) exit(4);
    task.aim = next(sizeof *task.aim), task.posture = next(n * sizeof(double));
    task.angles = room(n * sizeof(double));
    if (limber_erik_solve(&task)) exit(4);
    double iterations = task.iterations;
    tell(&iterations, 1), tell(task.angles, n), tell(&task.end_error.angle, 2);
}

static void replay_correction(void) {
    struct limber_skeleton *skeleton = next(sizeof *skeleton);
    size_t n = (size_t)skeleton->joints, l = (size_t)skeleton->directions, e = (size_t)skeleton->ends;
    skeleton->parents = next(n * sizeof(int32_t)), skeleton->prismatic = next(n * sizeof(int32_t));
    skeleton->rests = next(12 * n * sizeof(double)), skeleton->axes = next(3 * n * sizeof(double));
    skeleton->lower = next(n * sizeof(double)), skeleton->upper = next(n * sizeof(double));
    skeleton->carriers = next(l * sizeof(int32_t)), skeleton->vectors = next(3 * l * sizeof(double));
    skeleton->slides = next(l * sizeof(int32_t)), skeleton->weights = next(l * sizeof(double));
    skeleton->end_joints = next(e * sizeof(int32_t)), skeleton->end_frames = next(12 * e * sizeof(double));
    struct limber_problem problem = {.aims = 1, .keep = 1.0};
    problem.aim = next(sizeof *problem.aim), problem.posture = next(n * sizeof(double));
    double *angles = next(n * sizeof(double));
    size_t bytes = limber_model_bytes(skeleton);
    void *model = room(bytes);
    if (limber_model(model, bytes, skeleton)) exit(5);
    problem.model = model;
    problem.workspace_bytes = limber_workspace_bytes(model, 1, 1);
    problem.workspace = room(problem.workspace_bytes);
    struct limber_end_error error;
    struct limber_correction correction = {
        .angles = angles, .most_steps = 200, .looks = 1, .measures_shape = 1, .errors = &error};
    if (limber_correct(&problem, &correction)) exit(6);
    double steps = correction.steps;
    tell(&correction.aim_error, 2), tell(&steps, 1), tell(angles, n), tell(&error.angle, 2);
}

static void replay_bones(void) {
    struct limber_bones *bones = next(sizeof *bones);
    size_t n = (size_t)bones->joints, k = (size_t)bones->bones, e = (size_t)bones->ends;
    bones->parents = next(n * sizeof(int32_t)), bones->prismatic = next(n * sizeof(int32_t));
    bones->bone_joints = next(3 * k * sizeof(int32_t)), bones->is_ball = next(k * sizeof(int32_t));
    bones->end_joints = next(e * sizeof(int32_t));
    bones->rests = next(12 * n * sizeof(double)), bones->axes = next(3 * n * sizeof(double));
    bones->lower = next(n * sizeof(double)), bones->upper = next(n * sizeof(double));
    bones->slides = next(n * sizeof(double)), bones->bone_axes = next(9 * k * sizeof(double));
    bones->costs = next(9 * k * sizeof(double)), bones->end_frames = next(12 * e * sizeof(double));
    bones->sizes = next(e * sizeof(double));
    struct limber_bones_solve task = {.aims = 1};
    task.aim = next(sizeof *task.aim), task.reference = next(n * sizeof(double));
    size_t bytes = limber_bones_bytes(bones);
    void *model = room(bytes);
    if (limber_bones(model, bytes, bones)) exit(7);
    struct limber_end_error error;
    task.bones = model, task.errors = &error;
    task.workspace_bytes = limber_bones_workspace_bytes(model, 1);
    task.workspace = room(task.workspace_bytes);
    task.angles = room(n * sizeof(double)), task.forces = room(6 * sizeof(double));
    task.deviation = room((n + 9 * k) * sizeof(double));
    if (limber_bones_solve(&task)) exit(8);
    double steps = task.steps;
    tell(&steps, 1), tell(&task.cost, 1), tell(task.angles, n), tell(&error.angle, 2);
}

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END)) return 2;
    size_t bytes = (size_t)ftell(file);
    rewind(file);
    records = room(bytes), end_of_records = records + bytes;
    if (fread(records, 1, bytes, file) != bytes) return 2;
    while (records < end_of_records) {
        char kind = *records++;
        if (kind == 'E')
            replay_erik();
        else if (kind == 'B')
            replay_bones();
        else
            replay_correction();
    }
    return 0;
}
