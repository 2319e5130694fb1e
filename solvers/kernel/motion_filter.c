/* The default motion filter, for all joints of a mover: time-optimal motion to the target within each joint's limits.
 * Source: motion/profile.py, motion/tracking.py; docs/motion.md. */
#include "model.h"
#include "vectors.h"

#define ROUNDING 1e-15           /* rounding error of a position in one step, relative to it (motion/profile.py) */
#define ABSORBED 1e-14           /* largest excess over a limit that counts as rounding, relative (motion/joint.py) */
#define MOST_TRIALS 100          /* largest number of trials in the search for a braking time (motion/profile.py) */
#define HALVE_EVERY 6            /* number of trials from one bisection to the next */
#define FOLLOWABLE 2.0           /* these four as in motion/tracking.py */
#define GENTLE 0.5
#define CLEAR 3.0
#define SMOOTH_STEPS 3.0

/* Position [rad], velocity [rad/s] and acceleration [rad/s2] of a joint. */
struct point {
    double position, velocity, acceleration;
};

/* Signed distance [rad] of a stop, its first jerk [rad/s3], and the derivative of the distance with respect to
 * acceleration [s2]. */
struct stop {
    double distance, first, growth;
};

/* First jerk [rad/s3] of a change of velocity, and durations [s] of its spans. */
struct pulse {
    double first, start, middle, end;
};

/* Limits with which a motion is planned: velocity, acceleration, jerk. */
struct pace {
    double speed, limit, jerk;
};

/* The fastest change of the velocity to `goal`, with acceleration 0 at its end. */
static struct pulse pulse_to(double goal, const struct point *from, const struct pace *pace) {
    double limit = pace->limit, jerk = pace->jerk, first;
    double excess = from->velocity - goal, acceleration = from->acceleration;
    if (excess + 0.5 * acceleration * fabs(acceleration) / jerk > 0.0) {
        first = -jerk;
    } else {
        excess = -excess, acceleration = -acceleration, first = jerk;
    }
    excess = larger(excess + 0.5 * acceleration * acceleration / jerk, 0.0);
    double peak = sqrt(jerk * excess), middle = 0.0;
    if (peak > limit) {
        middle = excess / limit - limit / jerk;
        peak = limit;
    }
    return (struct pulse){first, larger(acceleration + peak, 0.0) / jerk, middle, peak / jerk};
}

/* The fastest stop from a velocity and acceleration. */
static struct stop stopping(double velocity, double acceleration, const struct pace *pace) {
    double limit = pace->limit, jerk = pace->jerk, sign = 1.0;
    if (velocity + 0.5 * acceleration * fabs(acceleration) / jerk < 0.0) {
        velocity = -velocity, acceleration = -acceleration, sign = -1.0;
    }
    double excess = velocity + 0.5 * acceleration * acceleration / jerk;
    double peak = excess > 0.0 ? sqrt(jerk * excess) : 0.0;
    if (peak <= limit) {
        double t = (acceleration + peak) / jerk;
        double distance = t * (velocity + t * (0.5 * acceleration - jerk * t / 6.0)) +
                          peak * peak * peak / (6.0 * jerk * jerk);
        return (struct stop){sign * distance, -sign * jerk, 0.5 * t * (t + peak / jerk)};
    }
    double t = (acceleration + limit) / jerk;
    double middle = excess / limit - limit / jerk;
    double last = 0.5 * limit * limit / jerk; /* velocity at the beginning of the last span */
    double distance = t * (velocity + t * (0.5 * acceleration - jerk * t / 6.0)) +
                      (last + 0.5 * limit * middle) * middle + last * limit / (3.0 * jerk);
    return (struct stop){sign * distance, -sign * jerk, 0.5 * t * (t + 2.0 * middle + limit / jerk)};
}

/* The point after a time [s] of constant jerk. */
static struct point moved(struct point from, double jerk, double t) {
    double gained = 0.5 * jerk * t;
    return (struct point){
        from.position + t * (from.velocity + t * (0.5 * from.acceleration + gained / 3.0)),
        from.velocity + t * (from.acceleration + gained),
        from.acceleration + jerk * t,
    };
}

/* The point after a time [s] of the fastest stop; returns 0 if the joint is at rest by then. */
static int stopped(struct point *point, double dt, const struct pace *pace) {
    struct pulse pulse = pulse_to(0.0, point, pace);
    if (pulse.start + pulse.middle + pulse.end <= dt) return 0;
    if (dt < pulse.start) {
        *point = moved(*point, pulse.first, dt);
        return 1;
    }
    *point = moved(*point, pulse.first, pulse.start);
    dt -= pulse.start;
    if (dt < pulse.middle) {
        *point = moved(*point, 0.0, dt);
        return 1;
    }
    if (pulse.middle > 0.0) {
        *point = moved(*point, 0.0, pulse.middle);
        dt -= pulse.middle;
    }
    *point = moved(*point, -pulse.first, dt);
    return 1;
}

/* Time within `t` seconds of jerk `push` at which the stopping position, `nearby` <= 0 at the beginning, passes 0;
 * `beyond`: the stopping position at the end, which moves there at `rate`. */
static double braking_time(const struct point *from, double push, double t, const struct pace *pace, double grain,
                           double nearby, double beyond, double rate) {
    double early = 0.0, late = t, rise = beyond - nearby, steepest = rate * t;
    double middle = steepest > 0.0 ? t * pow(-nearby / rise, rise / steepest) : late;
    double nearest = late, error = beyond;
    for (int trial = 1; trial < MOST_TRIALS; trial++) {
        if (-nearby <= grain) break;
        if (trial % HALVE_EVERY == 0 || !(early < middle && middle < late)) {
            middle = 0.5 * (early + late);
            if (!(early < middle && middle < late)) break;
        }
        struct point there = moved(*from, push, middle);
        struct stop brake = stopping(there.velocity, there.acceleration, pace);
        double stop = there.position + brake.distance;
        if (stop > 0.0) {
            late = middle;
        } else {
            early = middle, nearby = stop;
        }
        if (fabs(stop) < fabs(error)) nearest = middle, error = stop, rate = (push - brake.first) * brake.growth;
        middle = rate > 0.0 ? nearest - (error + 0.5 * grain) / rate : late;
    }
    return early;
}

/* The point after acceleration to the largest speed for `dt` seconds, or until braking must begin to stop at 0;
 * returns the seconds left. `nearby`, below 0: the position at which the joint would stop if it braked now. */
static double accelerated(struct point *point, double dt, const struct pace *pace, double grain, double nearby) {
    struct pulse pulse = pulse_to(pace->speed, point, pace);
    const double spans[3] = {pulse.start, pulse.middle, pulse.end}, pushes[3] = {pulse.first, 0.0, -pulse.first};
    for (int k = 0; k < 3; k++) {
        if (spans[k] <= 0.0) continue;
        double push = pushes[k], t = smaller(spans[k], dt);
        struct point ahead = moved(*point, push, t);
        struct stop brake = stopping(ahead.velocity, ahead.acceleration, pace);
        double stop = ahead.position + brake.distance;
        if (stop > 0.0) {
            double rate = (push - brake.first) * brake.growth;
            t = braking_time(point, push, t, pace, grain, nearby, stop, rate);
            *point = moved(*point, push, t);
            return dt - t;
        }
        *point = ahead, nearby = stop;
        dt -= t;
        if (dt <= 0.0) return 0.0;
    }
    double t = smaller(larger(-nearby / pace->speed, 0.0), dt); /* time to the goal at full speed */
    point->position += pace->speed * t, point->velocity = pace->speed, point->acceleration = 0.0;
    return dt - t;
}

/* The point `dt` seconds later on the fastest motion to rest at position 0, where it then is exactly. */
static struct point toward_rest(struct point point, double dt, const struct pace *pace, double grain) {
    if (fabs(point.acceleration) > pace->limit) {
        double outside = (fabs(point.acceleration) - pace->limit) / pace->jerk;
        double inward = -copysign(pace->jerk, point.acceleration);
        if (outside >= dt) return moved(point, inward, dt);
        point = moved(point, inward, outside);
        point.acceleration = copysign(pace->limit, point.acceleration);
        dt -= outside;
    }
    grain += ROUNDING * (fabs(point.position) + fabs(point.velocity) * dt);
    double nearby = point.position + stopping(point.velocity, point.acceleration, pace).distance, sign = 1.0;
    if (nearby > 0.0) { /* the problem is mirrored, so that the goal is above */
        sign = -1.0, nearby = -nearby;
        point = (struct point){-point.position, -point.velocity, -point.acceleration};
    }
    if (nearby < -grain) dt = accelerated(&point, dt, pace, grain, nearby);
    if (dt > 0.0 && !stopped(&point, dt, pace)) return (struct point){0.0, 0.0, 0.0};
    return (struct point){sign * point.position, sign * point.velocity, sign * point.acceleration};
}

/* The point `dt` seconds later on the time-optimal motion to rest at `goal`. */
static struct point moved_toward(const struct limber_filter_state *state, double goal, double dt,
                                 const struct pace *pace) {
    double grain = ROUNDING * (fabs(state->position) + fabs(goal));
    struct point from = {state->position - goal, state->velocity, state->acceleration};
    struct point point = toward_rest(from, dt, pace, grain);
    point.position += goal;
    return point;
}

/* The lowest and highest position during the fastest stop. */
static void stopping_range(const struct point *point, const struct pace *pace, double *lowest, double *highest) {
    double position = point->position, velocity = point->velocity, acceleration = point->acceleration;
    double end = position + stopping(velocity, acceleration, pace).distance, reversal = position;
    double braking = -copysign(acceleration, velocity * acceleration), speed = fabs(velocity);
    if (braking * braking > 2.0 * pace->jerk * speed && braking > 0.0) {
        /* the joint brakes so hard that it reverses before it stops */
        double t = 2.0 * speed / (braking + sqrt(braking * braking - 2.0 * pace->jerk * speed));
        reversal += copysign(t * (speed - t * (0.5 * braking - pace->jerk * t / 6.0)), velocity);
    }
    *lowest = smaller(smaller(position, reversal), end);
    *highest = larger(larger(position, reversal), end);
}

/* Whether the joint can still stop within its position limits, and end its acceleration within its velocity limit. */
static int can_stop(const struct point *point, const struct limber_filter *filter, const struct pace *pace) {
    double acceleration = point->acceleration, lowest, highest;
    double coasted = point->velocity + 0.5 * acceleration * fabs(acceleration) / pace->jerk;
    stopping_range(point, pace, &lowest, &highest);
    return fabs(coasted) <= pace->speed * (1.0 + ROUNDING) && filter->lower <= lowest && highest <= filter->upper;
}

/* Writes the motion of the target, estimated from its new position `dt` seconds after the last state. */
static void observe(const struct limber_filter_state *last, double position, double dt, const struct pace *used,
                    struct limber_filter_state *out) {
    out->has_target = 1.0, out->target_position = position, out->dt = dt;
    if (!last->has_target) {
        out->target_velocity = out->target_acceleration = out->change = 0.0;
        out->untrusted = out->smooth_steps = out->target_jerk = 0.0;
        return;
    }
    double velocity = (position - last->target_position) / dt, between = 0.5 * (dt + last->dt);
    double before = last->target_velocity, gained = velocity - before, acceleration = gained / between;
    double change = acceleration - last->target_acceleration;
    int jumped = fabs(change) > used->jerk * between || fabs(acceleration) > FOLLOWABLE * used->limit;
    int is_slower = velocity * before > 0.0 && fabs(velocity) <= fabs(before);
    double untrusted =
        jumped && !is_slower ? last->untrusted + fabs(gained) : larger(last->untrusted - fabs(gained), 0.0);
    double smooth_steps = jumped ? 0.0 : last->smooth_steps + 1.0;
    if (smooth_steps >= SMOOTH_STEPS) untrusted = velocity * before > 0.0 ? smaller(untrusted, fabs(velocity)) : 0.0;
    out->target_velocity = velocity, out->target_acceleration = acceleration, out->change = change;
    out->untrusted = untrusted, out->smooth_steps = smooth_steps;
    out->target_jerk = velocity * acceleration > 0.0 ? larger(last->target_jerk, fabs(change) / between) : 0.0;
}

/* Displacement [rad] from the target's position to the one at which it would stop if it braked, for the trusted part of
 * its motion only. */
static double stop_ahead(const struct limber_filter_state *seen, const struct pace *used) {
    double velocity = seen->target_velocity, acceleration = seen->target_acceleration, change = seen->change;
    if (fabs(velocity) <= larger(CLEAR * fabs(change) * seen->dt, seen->untrusted)) return 0.0;
    if (velocity * change > 0.0) change = 0.0;
    double gained = 0.5 * seen->dt * (acceleration + 0.75 * change);
    acceleration += change;
    if (acceleration * velocity > 0.0) acceleration *= larger(1.0 - seen->target_jerk / (GENTLE * used->jerk), 0.0);
    double trusted = velocity - copysign(seen->untrusted, velocity) + gained;
    if (trusted == 0.0 && acceleration == 0.0) return 0.0;
    double ahead = stopping(clamped(trusted, -used->speed, used->speed),
                            clamped(acceleration, -used->limit, used->limit), used)
                       .distance;
    return ahead * velocity > 0.0 ? ahead : 0.0;
}

/* The position, moved onto a limit if it exceeds the limit only by a rounding error. */
static double absorbed(double position, const struct limber_filter *filter) {
    double rounding = ABSORBED * larger(fabs(filter->lower), fabs(filter->upper));
    if (filter->upper < position && position <= filter->upper + rounding) return filter->upper;
    if (filter->lower - rounding <= position && position < filter->lower) return filter->lower;
    return position;
}

/* One joint's state `dt` seconds later; `before` and `out` may not be the same. */
static void filter_joint(const struct limber_filter *filter, const struct limber_filter_state *before, double target,
                         double dt, struct limber_filter_state *out) {
    struct pace whole = {filter->velocity, filter->acceleration, filter->jerk};
    struct pace used = {filter->velocity, filter->used_acceleration, filter->used_jerk};
    observe(before, clamped(target, filter->lower, filter->upper), dt, &used, out);
    double goal = clamped(out->target_position + stop_ahead(out, &used), filter->lower, filter->upper);
    struct point point = moved_toward(before, goal, dt, &used);
    int is_reduced = used.limit != whole.limit || used.jerk != whole.jerk;
    if (is_reduced && !can_stop(&point, filter, &whole)) point = moved_toward(before, goal, dt, &whole);
    out->position = absorbed(point.position, filter);
    out->velocity = point.velocity, out->acceleration = point.acceleration;
}

int32_t limber_filter_step(int32_t joints, const struct limber_filter *filters, const double *targets, double dt,
                           const struct limber_filter_state *before, struct limber_filter_state *after) {
    if (joints < 1 || !filters || !targets || !before || !after) return LIMBER_SIZE;
    size_t limits = sizeof *filters / sizeof(double), state = sizeof *before / sizeof(double), count = (size_t)joints;
    if (!is_within((const double *)filters, limits * count, LARGEST) || !is_within(targets, count, LARGEST) ||
        !is_within((const double *)before, state * count, LARGEST) || !(dt > 0.0 && dt <= LARGEST))
        return LIMBER_NOT_FINITE;
    for (int i = 0; i < joints; i++) filter_joint(&filters[i], &before[i], targets[i], dt, &after[i]);
    return is_within((const double *)after, state * count, LARGEST) ? LIMBER_OK : LIMBER_NOT_FINITE;
}
