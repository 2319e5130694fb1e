/* Shape deviation of a pose from an authored posture as a least-squares problem, and the preferred roll of ends.
 *
 * Source: solvers/expressive/shape.py. There the Gauss-Newton matrix is a sum over directions; here it is assembled as
 * the inertia of composite bodies is: with S_j the sum of w (1 - d d') over the directions d that joint j carries, the
 * entry of joints i and j, i above j, is a_i' S_j a_j.
 */
#ifndef LIMBER_SHAPE_H
#define LIMBER_SHAPE_H

#include "pose.h"

/* Size of the scratch memory of `add_shape`, in numbers. */
size_t shape_scratch(const struct model *model);

/* Writes `directions` and `slides` of a pose whose frames are known. */
void evaluate_directions(const struct model *model, const double *angles, struct pose *pose);

/* Writes the shape of the posture with the given pose: `parts` and `end_axes`. */
void author(const struct model *model, const struct pose *posture, struct authored *authored);

/* Prepares the preferred rolls of a goal. */
void prepare_rolls(const struct authored *authored, struct goal *goal);

/* Writes `turn` and `cosine` of a pose. */
void fit(const struct model *model, const struct authored *authored, const struct goal *goal, struct pose *pose);

/* Adds share times the Gauss-Newton matrix (n, n; its lower triangle) and the negative gradient (n,) of half the summed
 * squared differences of directions, with the best rotation about the base's axis eliminated, and those of rolls. */
void add_shape(const struct model *model, const struct authored *authored, const struct goal *goal,
               const struct pose *pose, double share, double *matrix, double *descent, double *scratch);

#endif
