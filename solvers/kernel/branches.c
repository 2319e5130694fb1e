#include "branches.h"

#include "vectors.h"

double farthest_joint(const struct model *model, const double *angles, const double *others) {
    double farthest = 0.0;
    for (int i = 0; i < model->joints; i++)
        farthest = larger(farthest, fabs(angles[i] - others[i]) / model->joint[i].scale);
    return farthest;
}

void sort_by(const double *costs, int count, int32_t *order) {
    /* Insertion sort, since a search compares a hundred candidates at most, most of them already in order. */
    for (int i = 0; i < count; i++) {
        int place = i;
        while (place > 0 && costs[order[place - 1]] > costs[i]) order[place] = order[place - 1], place--;
        order[place] = i;
    }
}

int distinct(const struct model *model, const double *angles, const int32_t *order, int count, int most,
             int32_t *kept) {
    int number = 0, n = model->joints;
    for (int i = 0; i < count && number < most; i++) {
        const double *candidate = angles + (size_t)order[i] * (size_t)n;
        int is_new = 1;
        for (int k = 0; k < number && is_new; k++)
            is_new = farthest_joint(model, candidate, angles + (size_t)kept[k] * (size_t)n) > SAME_BRANCH;
        if (is_new) kept[number++] = order[i];
    }
    return number;
}
