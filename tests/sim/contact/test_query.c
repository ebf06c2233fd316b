// Rays, circles and nearest bodies of a world against brute force over random worlds. A failure names its
// seed; QD_TEST_SEED=seed runs that world alone.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/query.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 400 };

typedef struct answer {
    bool hit, sure; // sure: rounding cannot tell otherwise
    size_t times;
    double at; // of a ray, or a distance
    qd_image image;
} answer;

typedef struct bench {
    uint64_t seed;
    int number;
    qd_random random;
    qd_world_def def;
    qd_world *world;
    qd_vec2 period;
    qd_ray ray;
    qd_vec2 point;
    double radius;
    qd_vec2 low, high; // of a rectangle
    bool odd_only;
    answer right[MOST], ours[MOST]; // by index
} bench;

#define CHECK(condition, ...) QD_TEST_CHECK(condition, b->seed, "question", b->number, __VA_ARGS__)

static double between(bench *b, double low, double high) {
    return qd_test_between(&b->random, low, high);
}

static bool near_to(double a, double b) {
    return fabs(a - b) <= 1e-10 * (1.0 + fabs(b));
}

static bool only_odd(void *context, qd_id id) {
    const bench *b = context;
    qd_body_state state;
    ck_assert_int_eq(qd_world_body(b->world, id, &state), QD_OK);
    return id.index % 2 == 1;
}

static qd_vec2 seen_from(const bench *b, const qd_body_state *body, qd_image image, qd_vec2 point) {
    return (qd_vec2){body->position.x + image.x * b->period.x - point.x,
                     body->position.y + image.y * b->period.y - point.y};
}

// ---- rays

// Where a ray enters a disk whose centre is at `d`, seen from its beginning.
static answer ray_to_disk(const qd_ray *ray, qd_vec2 d, double radius) {
    const long double x = (long double)d.x, y = (long double)d.y, r = (long double)radius;
    const long double sx = (long double)ray->step.x, sy = (long double)ray->step.y;
    const long double length = sqrtl(sx * sx + sy * sy);
    answer found = {.sure = true};
    if (x * x + y * y <= r * r || length == 0.0L) {
        found.hit = x * x + y * y <= r * r;
        found.sure = fabsl(x * x + y * y - r * r) > 1e-9L;
        return found;
    }
    const long double along = (x * sx + y * sy) / length, off = (x * sy - y * sx) / length;
    const long double under = r * r - off * off;
    if (under < 0.0L) return (answer){.sure = under < -1e-9L};
    const long double enter = (along - sqrtl(under)) / length;
    found.at = (double)enter;
    found.hit = enter >= 0.0L && enter <= (long double)ray->most;
    found.sure = under > 1e-9L && fabsl(enter) > 1e-9L && fabsl(enter - (long double)ray->most) > 1e-9L;
    return found;
}

static void rays_by_force(bench *b) {
    const int reach_x = b->period.x > 0.0 ? 9 : 0, reach_y = b->period.y > 0.0 ? 9 : 0;
    const qd_body_view view = qd_world_view(b->world);
    memset(b->right, 0, sizeof b->right);
    for (size_t r = 0; r < view.count; ++r) {
        answer *first = &b->right[view.index[r]];
        first->sure = true;
        if (b->odd_only && view.index[r] % 2 == 0) continue;
        const qd_body_state body = qd_test_body(b->world, (qd_id){view.index[r], view.generation[r]});
        for (int k = 0; k < (2 * reach_x + 1) * (2 * reach_y + 1); ++k) {
            const qd_image image = {(int16_t)(k % (2 * reach_x + 1) - reach_x),
                                    (int16_t)(k / (2 * reach_x + 1) - reach_y)};
            answer here = ray_to_disk(&b->ray, seen_from(b, &body, image, b->ray.from), body.shape.radius);
            here.image = image;
            if (!here.sure) first->sure = false;
            if (!here.hit || (first->hit && first->at <= here.at)) continue;
            here.sure = first->sure;
            *first = here;
        }
    }
}

static void check_hit(const bench *b, const qd_world_hit *found) {
    const answer *right = &b->right[found->hit.body];
    const qd_body_state body = qd_test_body(b->world, found->body);
    CHECK(found->body.index == found->hit.body, "another id");
    CHECK(near_to(found->hit.at, right->at), "body %u at %.17g, not %.17g", found->hit.body, found->hit.at,
          right->at);
    CHECK(found->hit.image.x == right->image.x && found->hit.image.y == right->image.y,
          "body %u through another image", found->hit.body);
    const qd_vec2 to_centre = seen_from(b, &body, found->hit.image, found->point);
    const double distance = sqrt(to_centre.x * to_centre.x + to_centre.y * to_centre.y);
    if (found->hit.at == 0.0 && distance < body.shape.radius) {
        CHECK(found->normal.x == 0.0 && found->normal.y == 0.0, "a normal inside");
        return;
    }
    CHECK(near_to(distance, body.shape.radius), "the hit is %.17g from the centre, not %.17g", distance,
          body.shape.radius);
    CHECK(near_to(found->normal.x * distance, -to_centre.x) &&
              near_to(found->normal.y * distance, -to_centre.y),
          "a wrong normal");
}

static bool note_hit(void *context, const qd_world_hit *found) {
    bench *b = context;
    answer *ours = &b->ours[found->hit.body];
    ours->times += 1;
    ours->at = found->hit.at;
    if (b->right[found->hit.body].sure) check_hit(b, found);
    return true;
}

static void draw_ray(bench *b) {
    const double size = fmax(b->def.size.x, b->def.size.y);
    const qd_vec2 middle = {b->def.origin.x + 0.5 * b->def.size.x, b->def.origin.y + 0.5 * b->def.size.y};
    const qd_vec2 from = {middle.x + between(b, -1, 1) * size, middle.y + between(b, -1, 1) * size};
    const qd_vec2 to = {middle.x + between(b, -1, 1) * size, middle.y + between(b, -1, 1) * size};
    b->ray = qd_ray_between(from, to);
    if (b->number % 4 == 1)
        b->ray = qd_ray_towards(from, (qd_vec2){to.x - from.x, to.y - from.y}, 3.0 * size);
    if (b->number % 8 == 2) b->ray.step.x = 0.0;
    if (b->number % 8 == 4) b->ray.most = 0.0;
}

static void check_rays(bench *b) {
    draw_ray(b);
    rays_by_force(b);
    memset(b->ours, 0, sizeof b->ours);
    const qd_query_accept accept = b->odd_only ? only_odd : NULL;
    CHECK(qd_world_ray_all(b->world, &b->ray, accept, note_hit, b) == QD_OK, "all refused");
    qd_body_index first = QD_NO_BODY;
    for (qd_body_index i = 0; i < MOST; ++i) {
        if (b->ours[i].times > 0 && (first == QD_NO_BODY || b->ours[i].at < b->ours[first].at)) first = i;
        if (!b->right[i].sure) continue;
        CHECK(b->ours[i].times == b->right[i].hit, "body %u is told %zu times", i, b->ours[i].times);
    }
    qd_world_hit hit;
    CHECK(qd_world_ray(b->world, &b->ray, accept, b, &hit) == QD_OK, "first refused");
    CHECK(hit.hit.body == first, "the first is %u, should be %u", hit.hit.body, first);
    if (first == QD_NO_BODY) return;
    CHECK(hit.hit.at == b->ours[first].at, "the first is elsewhere");
    if (b->right[first].sure) check_hit(b, &hit);
}

// ---- circles and the nearest

static void distances_by_force(bench *b) {
    const int reach_x = b->period.x > 0.0 ? 3 : 0, reach_y = b->period.y > 0.0 ? 3 : 0;
    const qd_body_view view = qd_world_view(b->world);
    memset(b->right, 0, sizeof b->right);
    for (size_t r = 0; r < view.count; ++r) {
        answer *best = &b->right[view.index[r]];
        if (b->odd_only && view.index[r] % 2 == 0) continue;
        *best = (answer){.hit = true, .at = (double)INFINITY};
        const qd_body_state body = qd_test_body(b->world, (qd_id){view.index[r], view.generation[r]});
        for (int k = 0; k < (2 * reach_x + 1) * (2 * reach_y + 1); ++k) {
            const qd_image image = {(int16_t)(k % (2 * reach_x + 1) - reach_x),
                                    (int16_t)(k / (2 * reach_x + 1) - reach_y)};
            const qd_vec2 d = seen_from(b, &body, image, b->point);
            const double distance = fmax(0.0, sqrt(d.x * d.x + d.y * d.y) - body.shape.radius);
            if (distance < best->at) best->at = distance, best->image = image;
        }
    }
}

static void check_near(const bench *b, const qd_world_near *found) {
    const answer *right = &b->right[found->near.body];
    const qd_body_state body = qd_test_body(b->world, found->body);
    CHECK(found->body.index == found->near.body, "another id");
    CHECK(right->hit && near_to(found->near.distance, right->at), "body %u at %.17g, not %.17g",
          found->near.body, found->near.distance, right->at);
    const qd_vec2 way = {found->point.x - b->point.x, found->point.y - b->point.y};
    CHECK(near_to(sqrt(way.x * way.x + way.y * way.y), found->near.distance), "the point is elsewhere");
    const qd_vec2 to_centre = seen_from(b, &body, found->near.image, found->point);
    const double distance = sqrt(to_centre.x * to_centre.x + to_centre.y * to_centre.y);
    CHECK(distance <= body.shape.radius + 1e-10, "the point is not in the shape");
}

static bool note_near(void *context, const qd_world_near *found) {
    bench *b = context;
    b->ours[found->near.body].times += 1;
    check_near(b, found);
    CHECK(found->near.distance <= b->radius, "further than the radius");
    return true;
}

static void check_circle(bench *b, qd_query_accept accept) {
    memset(b->ours, 0, sizeof b->ours);
    CHECK(qd_world_circle(b->world, b->point, b->radius, accept, note_near, b) == QD_OK, "circle refused");
    for (qd_body_index i = 0; i < MOST; ++i) {
        if (b->right[i].hit && near_to(b->right[i].at, b->radius)) continue;
        const size_t times = b->right[i].hit && b->right[i].at < b->radius;
        CHECK(b->ours[i].times == times, "circle %.17g: body %u is told %zu times", b->radius, i,
              b->ours[i].times);
    }
}

static void check_nearest(bench *b, qd_query_accept accept, size_t most) {
    static qd_world_near nearest[MOST];
    size_t count = 1, closer = 0, bodies = 0;
    CHECK(qd_world_nearest(b->world, b->point, b->radius, accept, b, most, nearest, &count) == QD_OK,
          "nearest refused");
    CHECK(count <= most, "%zu of %zu", count, most);
    for (size_t i = 0; i < count; ++i) {
        check_near(b, &nearest[i]);
        if (i == 0) continue;
        const qd_near *one = &nearest[i - 1].near, *next = &nearest[i].near;
        CHECK(one->distance < next->distance || (one->distance == next->distance && one->body < next->body),
              "not in order");
    }
    const double last = count == 0 ? b->radius : nearest[count - 1].near.distance;
    for (qd_body_index i = 0; i < MOST; ++i) {
        bodies += b->right[i].hit && b->right[i].at <= b->radius - 1e-9;
        closer += b->right[i].hit && b->right[i].at < last - 1e-9;
    }
    CHECK(count >= (bodies < most ? bodies : most), "%zu of %zu, there are %zu", count, most, bodies);
    CHECK(most == 0 || closer <= count, "%zu are closer than the last of %zu", closer, count);
}

static void check_points(bench *b) {
    const double size = fmax(b->def.size.x, b->def.size.y);
    b->point = (qd_vec2){b->def.origin.x + between(b, -0.3, 1.3) * size,
                         b->def.origin.y + between(b, -0.3, 1.3) * size};
    distances_by_force(b);
    const qd_query_accept accept = b->odd_only ? only_odd : NULL;
    const double radii[] = {0.0, between(b, 0.0, 5.0), between(b, 0.0, size), (double)INFINITY};
    static const size_t most[] = {0, 1, 3, 20, MOST};
    for (int r = 0; r < 4; ++r) {
        b->radius = radii[r];
        check_circle(b, accept);
        for (int m = 0; m < 5; ++m) check_nearest(b, accept, most[m]);
    }
}

// ---- rectangles

static double disk_to_rect(const bench *b, const qd_body_state *body, qd_image image) {
    const qd_vec2 at = seen_from(b, body, image, (qd_vec2){0, 0});
    const double x = fmax(0.0, fmax(b->low.x - at.x, at.x - b->high.x)),
                 y = fmax(0.0, fmax(b->low.y - at.y, at.y - b->high.y));
    return sqrt(x * x + y * y) - body->shape.radius;
}

static void rect_by_force(bench *b) {
    const int reach_x = b->period.x > 0.0 ? 3 : 0, reach_y = b->period.y > 0.0 ? 3 : 0;
    const qd_body_view view = qd_world_view(b->world);
    memset(b->right, 0, sizeof b->right);
    for (size_t r = 0; r < view.count; ++r) {
        answer *best = &b->right[view.index[r]];
        if (b->odd_only && view.index[r] % 2 == 0) continue;
        *best = (answer){.at = (double)INFINITY};
        const qd_body_state body = qd_test_body(b->world, (qd_id){view.index[r], view.generation[r]});
        for (int k = 0; k < (2 * reach_x + 1) * (2 * reach_y + 1); ++k) {
            const qd_image image = {(int16_t)(k % (2 * reach_x + 1) - reach_x),
                                    (int16_t)(k / (2 * reach_x + 1) - reach_y)};
            best->at = fmin(best->at, disk_to_rect(b, &body, image));
        }
        best->hit = best->at <= 0.0;
        best->sure = fabs(best->at) > 1e-9;
    }
}

static bool note_in_rect(void *context, qd_id id, qd_image image) {
    bench *b = context;
    const qd_body_state body = qd_test_body(b->world, id);
    CHECK(disk_to_rect(b, &body, image) <= 1e-9, "the image of body %u is not in it", id.index);
    b->ours[id.index].times += 1;
    return true;
}

static bool stop_in_rect(void *context, qd_id id, qd_image image) {
    const bench *b = context;
    (void)image;
    return b->ours[id.index].times == 0; // at the first one, all having been found before
}

static void check_rects(bench *b) {
    const double size = fmax(b->def.size.x, b->def.size.y);
    for (int k = 0; k < 5; ++k) {
        b->low = (qd_vec2){b->def.origin.x + between(b, -0.3, 1.3) * size,
                           b->def.origin.y + between(b, -0.3, 1.3) * size};
        const double longest = k == 0 ? 0 : (k == 1 ? 3 * size : 0.4 * size);
        b->high = (qd_vec2){b->low.x + between(b, 0, longest), b->low.y + between(b, 0, longest)};
        rect_by_force(b);
        memset(b->ours, 0, sizeof b->ours);
        const qd_query_accept accept = b->odd_only ? only_odd : NULL;
        qd_world_rect_cost cost;
        CHECK(qd_world_rect(b->world, b->low, b->high, accept, note_in_rect, b, &cost) == QD_OK, "refused");
        size_t found = 0;
        for (qd_body_index i = 0; i < MOST; ++i) {
            found += b->ours[i].times;
            if (b->right[i].sure)
                CHECK(b->ours[i].times == b->right[i].hit, "rectangle: body %u is told %zu times", i,
                      b->ours[i].times);
        }
        CHECK(cost.candidates >= found && cost.tests >= cost.candidates, "a wrong cost");
        if (accept) continue;
        qd_world_rect_cost stopped;
        CHECK(qd_world_rect(b->world, b->low, b->high, NULL, stop_in_rect, b, &stopped) == QD_OK, "refused");
        CHECK(found > 1 ? stopped.candidates < cost.candidates : true, "not stopped");
    }
}

static void run_world(uint64_t seed) {
    static bench b;
    memset(&b, 0, sizeof b);
    b.seed = seed;
    b.random = qd_random_at(seed, 0, 0x9e);
    b.def = qd_test_random_def(&b.random);
    if (seed % 2 == 1) b.def.margin = 2; // bodies go round, and their boxes do not
    b.world = qd_test_world(&b.def);
    b.period.x = b.def.boundary_x == QD_BOUNDARY_PERIODIC ? b.def.size.x : 0.0;
    b.period.y = b.def.boundary_y == QD_BOUNDARY_PERIODIC ? b.def.size.y : 0.0;
    qd_test_scatter(b.world, &b.random, qd_random_bits(&b.random) % 100);
    ck_assert_int_eq(qd_world_detect(b.world), QD_OK);
    for (b.number = 0; b.number < 12; ++b.number) {
        b.odd_only = b.number % 3 == 2;
        check_rays(&b);
        check_points(&b);
        check_rects(&b);
        if (b.number % 4 == 3) qd_test_step(b.world, 0.1, 3); // where sides are open, some are outside by now
    }
    qd_world_destroy(b.world);
}

QD_TEST_LOOP(random_worlds, 0, 4) {
    qd_test_seeds(150, _i, run_world);
}

// ---- by hand

static bool count_hits(void *context, const qd_world_hit *found) {
    (void)found;
    int *left = context;
    return (*left)-- > 1;
}

static bool count_in_rect(void *context, qd_id body, qd_image image) {
    (void)body;
    (void)image;
    int *left = context;
    return (*left)-- > 1;
}

static bool count_nears(void *context, const qd_world_near *found) {
    (void)found;
    int *left = context;
    return (*left)-- > 1;
}

QD_TEST(a_row_of_disks) {
    qd_world_def def = qd_world_def_default();
    def.origin = (qd_vec2){1e9, -1e9}; // far from zero
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id ids[9];
    for (int i = 0; i < 9; ++i) ids[i] = qd_test_disk(world, 1e9 + 10 * i + 10, 50 - 1e9, 0, 0, 2, 0);
    ck_assert_int_eq(qd_world_remove(world, ids[0]), QD_OK);
    ids[0] = qd_test_disk(world, 1e9 + 10, 50 - 1e9, 0, 0, 2, 0); // the same index, another generation
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    const qd_ray ray = qd_ray_towards((qd_vec2){1e9, 50 - 1e9}, (qd_vec2){5, 0}, 75);
    qd_world_hit hit;
    ck_assert_int_eq(qd_world_ray(world, &ray, NULL, NULL, &hit), QD_OK);
    ck_assert(hit.body.index == ids[0].index && hit.body.generation == ids[0].generation);
    ck_assert(hit.hit.at == 8.0 && hit.normal.x == -1.0 && hit.normal.y == 0.0);
    ck_assert(hit.point.x == 1e9 + 8 && hit.point.y == 50 - 1e9);
    int left = 100;
    ck_assert_int_eq(qd_world_ray_all(world, &ray, NULL, count_hits, &left), QD_OK);
    ck_assert_int_eq(left, 93);
    left = 3;
    ck_assert_int_eq(qd_world_ray_all(world, &ray, NULL, count_hits, &left), QD_OK);
    ck_assert_int_eq(left, 0);
    qd_world_near nearest[2];
    size_t count = 0;
    const qd_vec2 point = {1e9 + 45, 50 - 1e9}; // midway between two: the lower index first
    ck_assert_int_eq(qd_world_nearest(world, point, 10, NULL, NULL, 2, nearest, &count), QD_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert(nearest[0].body.index == ids[3].index && nearest[1].body.index == ids[4].index);
    ck_assert(nearest[0].near.distance == 3.0 && nearest[0].point.x == 1e9 + 42);
    ck_assert(nearest[1].near.distance == 3.0 && nearest[1].point.x == 1e9 + 48);
    left = 3;
    ck_assert_int_eq(qd_world_circle(world, point, 13, NULL, count_nears, &left), QD_OK);
    ck_assert_int_eq(left, 0);
    // Boxes overlap with the circle here, disks do not.
    left = 3;
    ck_assert_int_eq(qd_world_circle(world, (qd_vec2){1e9 + 12.5, 52.5 - 1e9}, 1.2, NULL, count_nears, &left),
                     QD_OK);
    ck_assert_int_eq(left, 3);
}

QD_TEST(a_changed_world_is_to_be_detected_first) {
    qd_own(qd_world) world = qd_test_world(NULL);
    const qd_ray ray = qd_ray_between((qd_vec2){0, 50}, (qd_vec2){100, 50});
    qd_world_hit hit = {.hit.body = 0};
    qd_world_near nearest[2];
    int left = 10;
    for (int changed = 1; changed >= 0; --changed) {
        const qd_status status = changed ? QD_ERR_STATE : QD_OK;
        size_t count = 7;
        ck_assert_int_eq(qd_world_ray(world, &ray, NULL, NULL, &hit), status);
        ck_assert_uint_eq(hit.hit.body, changed ? QD_NO_BODY : 0);
        ck_assert_int_eq(qd_world_ray_all(world, &ray, NULL, count_hits, &left), status);
        ck_assert_int_eq(qd_world_circle(world, ray.from, 60, NULL, count_nears, &left), status);
        ck_assert_int_eq(qd_world_nearest(world, ray.from, 60, NULL, NULL, 2, nearest, &count), status);
        ck_assert_uint_eq(count, changed ? 0 : 1);
        qd_world_rect_cost cost = {7, 7};
        ck_assert_int_eq(qd_world_rect(world, ray.from, ray.from, NULL, count_in_rect, &left, &cost), status);
        ck_assert(cost.tests == 0 && cost.candidates == 0);
        if (changed) {
            qd_test_disk(world, 50, 50, 0, 0, 1, 0);
            ck_assert_int_eq(qd_world_detect(world), QD_OK);
        }
    }
    ck_assert_int_eq(left, 8);
}

QD_TEST(bad_arguments_are_refused) {
    qd_world_def def = qd_world_def_default();
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 50, 50, 0, 0, 1, 0);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    const double nan = (double)NAN, inf = (double)INFINITY;
    const qd_ray rays[] = {{{nan, 0}, {1, 0}, 1}, {{0, nan}, {1, 0}, 1}, {{0, 0}, {nan, 0}, 1},
                           {{0, 0}, {1, 0}, nan}, {{0, 0}, {1, 0}, -1},  {{0, 0}, {1, 0}, inf},
                           {{inf, 0}, {1, 0}, 1}, {{0, 0}, {0, 1e39}, 1}};
    int left = 10;
    qd_world_hit hit;
    for (size_t r = 0; r < sizeof rays / sizeof rays[0]; ++r) {
        hit.hit.body = 0;
        ck_assert_int_eq(qd_world_ray(world, &rays[r], NULL, NULL, &hit), QD_ERR_VALUE);
        ck_assert_uint_eq(hit.hit.body, QD_NO_BODY);
        ck_assert_int_eq(qd_world_ray_all(world, &rays[r], NULL, count_hits, &left), QD_ERR_VALUE);
    }
    const struct {
        qd_vec2 point;
        double radius;
    } bad[] = {{{nan, 0}, 1}, {{0, inf}, 1}, {{0, 0}, nan}, {{0, 0}, -1}, {{1e9, 0}, 1}};
    qd_world_near nearest[1];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        size_t count = 7;
        ck_assert_int_eq(qd_world_circle(world, bad[i].point, bad[i].radius, NULL, count_nears, &left),
                         QD_ERR_VALUE);
        ck_assert_int_eq(qd_world_nearest(world, bad[i].point, bad[i].radius, NULL, NULL, 1, nearest, &count),
                         QD_ERR_VALUE);
        ck_assert_uint_eq(count, 0);
    }
    const qd_vec2 corners[][2] = {
        {{nan, 0}, {1, 1}}, {{0, 0}, {1, inf}}, {{0, 0}, {-1, 1}}, {{0, 2}, {1, 1}}, {{1e9, 0}, {2e9, 1}}};
    for (size_t i = 0; i < sizeof corners / sizeof corners[0]; ++i)
        ck_assert_int_eq(qd_world_rect(world, corners[i][0], corners[i][1], NULL, count_in_rect, &left, NULL),
                         QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_rect(NULL, corners[2][0], corners[2][0], NULL, count_in_rect, &left, NULL),
                     QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_rect(world, corners[2][0], corners[2][0], NULL, NULL, NULL, NULL),
                     QD_ERR_ARGUMENT);
    const qd_ray good = {{0, 50}, {0, 1}, inf}; // endless where there is no period
    size_t count = 0;
    ck_assert_int_eq(qd_world_ray(world, &good, NULL, NULL, &hit), QD_OK);
    ck_assert_int_eq(qd_world_ray(NULL, &good, NULL, NULL, &hit), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_ray(world, NULL, NULL, NULL, &hit), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_ray(world, &good, NULL, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_ray_all(world, &good, NULL, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_ray_all(NULL, &good, NULL, count_hits, &left), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_circle(NULL, good.from, 1, NULL, count_nears, &left), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_circle(world, good.from, 1, NULL, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_nearest(NULL, good.from, 1, NULL, NULL, 1, nearest, &count), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_nearest(world, good.from, 1, NULL, NULL, 1, NULL, &count), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_nearest(world, good.from, 1, NULL, NULL, 1, nearest, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_nearest(world, good.from, inf, NULL, NULL, 0, NULL, &count), QD_OK);
    ck_assert_int_eq(left, 10);
}

QD_TEST(no_memory_is_taken) {
    qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
    qd_world_def def = qd_world_def_default();
    def.allocator = &memory.allocator;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < 300; ++i) qd_test_disk(world, 1 + i % 20 * 5, 1 + i / 20 * 5, 0, 0, 1, 0);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    const uint64_t before = qd_world_hash(world);
    memory.fail_at = memory.calls + 1; // whatever is asked for from here on is refused
    const size_t calls = memory.calls;
    static qd_world_near nearest[300];
    const qd_ray ray = qd_ray_between((qd_vec2){0, 1}, (qd_vec2){100, 1});
    qd_world_hit hit;
    int left = 1000;
    size_t count = 0;
    ck_assert_int_eq(qd_world_ray(world, &ray, NULL, NULL, &hit), QD_OK);
    ck_assert_uint_eq(hit.hit.body, 0);
    ck_assert_int_eq(qd_world_ray_all(world, &ray, NULL, count_hits, &left), QD_OK);
    ck_assert_int_eq(qd_world_circle(world, ray.from, 1000, NULL, count_nears, &left), QD_OK);
    ck_assert_int_eq(left, 680);
    ck_assert_int_eq(
        qd_world_rect(world, (qd_vec2){0, 0}, (qd_vec2){100, 100}, NULL, count_in_rect, &left, NULL), QD_OK);
    ck_assert_int_eq(left, 380);
    ck_assert_int_eq(qd_world_nearest(world, ray.from, 1000, NULL, NULL, 300, nearest, &count), QD_OK);
    ck_assert_uint_eq(count, 300);
    ck_assert_uint_eq(memory.calls, calls);
    memory.fail_at = 0;
    ck_assert_uint_eq(qd_world_hash(world), before);
}

QD_TEST_MAIN("query", 300, NULL, NULL)
