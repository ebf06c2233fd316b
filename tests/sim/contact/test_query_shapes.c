// A world's queries about bodies of all shapes: what they answer is held against points that are in a shape
// or not. A failure names its seed; QD_TEST_SEED=seed runs that world alone.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/query.h>
#include <stdio.h>
#include <string.h>

enum { BODIES = 60, SAMPLES = 200 };

typedef struct bench {
    uint64_t seed;
    int number;
    qd_random random;
    qd_world_def def;
    qd_world *world;
    qd_vec2 period;
    int reach_x, reach_y; // images that are looked at
    size_t count;
    qd_body_state bodies[BODIES]; // by index
    qd_ray ray;
    qd_vec2 point;
    double radius;
    bool told[BODIES];
    double at[BODIES];
} bench;

#define CHECK(condition, ...) QD_TEST_CHECK(condition, b->seed, "question", b->number, __VA_ARGS__)

static double between(bench *b, double low, double high) {
    return qd_test_between(&b->random, low, high);
}

static qd_vec2 moved(const bench *b, qd_vec2 point, int x, int y) {
    return (qd_vec2){point.x - x * b->period.x, point.y - y * b->period.y};
}

// True where some image of a body holds a point.
static bool holds(const bench *b, const qd_body_state *body, qd_vec2 point) {
    for (int x = -b->reach_x; x <= b->reach_x; ++x) {
        for (int y = -b->reach_y; y <= b->reach_y; ++y) {
            if (qd_shape_contains(&body->shape, body->position, body->turn, moved(b, point, x, y)))
                return true;
        }
    }
    return false;
}

static bool image_holds(const bench *b, const qd_body_state *body, qd_image image, qd_vec2 point) {
    return qd_shape_contains(&body->shape, body->position, body->turn, moved(b, point, image.x, image.y));
}

static bool is_thin(const qd_body_state *body) {
    return body->shape.kind == QD_SHAPE_CAPSULE && body->shape.radius == 0.0;
}

// A point in a body's own axes.
static qd_vec2 in_axes(const qd_body_state *body, qd_vec2 point) {
    const double x = point.x - body->position.x, y = point.y - body->position.y;
    return (qd_vec2){body->turn.x * x + body->turn.y * y, body->turn.x * y - body->turn.y * x};
}

// True where a point is on a body's image, or next to it.
static bool is_at(const bench *b, const qd_body_state *body, qd_image image, qd_vec2 point) {
    if (is_thin(body)) {
        const qd_vec2 own = in_axes(body, moved(b, point, image.x, image.y));
        return fabs(own.y) < 1e-9 && fabs(own.x) < body->shape.half.x + 1e-9;
    }
    for (int s = 0; s < SAMPLES; ++s) {
        const double angle = 6.283185307179586 * s / SAMPLES;
        const qd_vec2 next = {point.x + 1e-7 * cos(angle), point.y + 1e-7 * sin(angle)};
        if (image_holds(b, body, image, next)) return true;
    }
    return false;
}

// ---- rays

static bool note_hit(void *context, const qd_world_hit *found) {
    bench *b = context;
    const qd_body_state *body = &b->bodies[found->body.index];
    CHECK(!b->told[found->body.index], "body %u is told twice", found->body.index);
    b->told[found->body.index] = true;
    b->at[found->body.index] = found->hit.at;
    CHECK(found->body.index == found->hit.body && found->body.generation == body->id.generation,
          "another id");
    const qd_vec2 n = found->normal;
    const double deep = 1e-7; // a little further in and out
    if (found->hit.at == 0.0 && n.x == 0.0 && n.y == 0.0) {
        CHECK(holds(b, body, b->ray.from), "body %u does not hold the beginning", found->hit.body);
        return true;
    }
    CHECK(fabs(n.x * n.x + n.y * n.y - 1.0) < 1e-12, "the normal is %.17g %.17g", n.x, n.y);
    CHECK(n.x * b->ray.step.x + n.y * b->ray.step.y <= 0.0, "the normal goes with the ray");
    const qd_vec2 out = {found->point.x + deep * n.x, found->point.y + deep * n.y};
    CHECK(!image_holds(b, body, found->hit.image, out), "body %u is not left along the normal",
          found->hit.body);
    const qd_vec2 in = {found->point.x - deep * n.x, found->point.y - deep * n.y};
    CHECK(is_thin(body) || image_holds(b, body, found->hit.image, in), "body %u is not entered",
          found->hit.body);
    CHECK(is_at(b, body, found->hit.image, found->point), "body %u is not there", found->hit.body);
    return true;
}

// No sample finds a segment, but its ends lie on two sides of the ray, and those of the ray on two sides of
// it.
static void check_thin(const bench *b, uint32_t index) {
    const qd_body_state *body = &b->bodies[index];
    if (!is_thin(body) || b->reach_x > 0 || b->reach_y > 0) return;
    const qd_vec2 from = in_axes(body, b->ray.from), to = in_axes(body, qd_ray_point(&b->ray, 1.0));
    const double at = from.x + (to.x - from.x) * from.y / (from.y - to.y);
    const bool right = from.y * to.y < 0.0 && fabs(at) < body->shape.half.x;
    CHECK(b->told[index] == right || fabs(fabs(at) - body->shape.half.x) < 1e-9, "segment %u", index);
}

static void check_rays(bench *b) {
    const double size = fmax(b->def.size.x, b->def.size.y);
    const qd_vec2 from = {b->def.origin.x + between(b, -0.2, 1.2) * size,
                          b->def.origin.y + between(b, -0.2, 1.2) * size};
    const qd_vec2 to = {b->def.origin.x + between(b, -0.2, 1.2) * size,
                        b->def.origin.y + between(b, -0.2, 1.2) * size};
    b->ray = qd_ray_between(from, to);
    memset(b->told, 0, sizeof b->told);
    CHECK(qd_world_ray_all(b->world, &b->ray, NULL, note_hit, b) == QD_OK, "all refused");
    uint32_t first = QD_NO_BODY;
    for (uint32_t i = 0; i < b->count; ++i) {
        check_thin(b, i);
        if (b->told[i] && (first == QD_NO_BODY || b->at[i] < b->at[first])) first = i;
        for (int s = 0; s <= SAMPLES; ++s) {
            const double t = (double)s / SAMPLES;
            if (b->told[i] && t >= b->at[i] - 1e-9) break;
            CHECK(!holds(b, &b->bodies[i], qd_ray_point(&b->ray, t)), "body %u is hit at %g already", i, t);
        }
    }
    qd_world_hit hit;
    CHECK(qd_world_ray(b->world, &b->ray, NULL, NULL, &hit) == QD_OK, "first refused");
    CHECK(hit.hit.body == first, "the first is %u, should be %u", hit.hit.body, first);
    CHECK(first == QD_NO_BODY || hit.hit.at == b->at[first], "the first is elsewhere");
}

// ---- distances

static void check_near(const bench *b, const qd_world_near *found) {
    const qd_body_state *body = &b->bodies[found->body.index];
    const double distance = found->near.distance;
    if (distance == 0.0) {
        CHECK(image_holds(b, body, found->near.image, b->point), "body %u does not hold the point",
              found->near.body);
        return;
    }
    const qd_vec2 way = {found->point.x - b->point.x, found->point.y - b->point.y};
    CHECK(fabs(sqrt(way.x * way.x + way.y * way.y) - distance) < 1e-9, "body %u: the point is elsewhere",
          found->near.body);
    CHECK(is_at(b, body, found->near.image, found->point), "body %u: the point is not on it",
          found->near.body);
    for (int s = 0; s < SAMPLES; ++s) {
        const double angle = 6.283185307179586 * s / SAMPLES, reach = (s % 4 + 1) * 0.2499 * distance;
        const qd_vec2 at = {b->point.x + reach * cos(angle), b->point.y + reach * sin(angle)};
        CHECK(!holds(b, body, at), "body %u is nearer than %g", found->near.body, distance);
    }
}

static bool note_near(void *context, const qd_world_near *found) {
    bench *b = context;
    CHECK(!b->told[found->body.index], "body %u is told twice", found->body.index);
    CHECK(found->near.distance <= b->radius, "further than the radius");
    b->told[found->body.index] = true;
    b->at[found->body.index] = found->near.distance;
    check_near(b, found);
    return true;
}

static void check_points(bench *b) {
    const double size = fmax(b->def.size.x, b->def.size.y);
    b->point = (qd_vec2){b->def.origin.x + between(b, -0.2, 1.2) * size,
                         b->def.origin.y + between(b, -0.2, 1.2) * size};
    b->radius = between(b, 0.0, 1.0) < 0.2 ? 0.0 : between(b, 0.0, 0.7) * size;
    memset(b->told, 0, sizeof b->told);
    CHECK(qd_world_circle(b->world, b->point, b->radius, NULL, note_near, b) == QD_OK, "circle refused");
    for (uint32_t i = 0; i < b->count; ++i) {
        for (int s = 0; s < SAMPLES && !b->told[i]; ++s) {
            const double angle = 6.283185307179586 * s / SAMPLES, reach = (s % 7) / 6.0 * 0.9999 * b->radius;
            const qd_vec2 at = {b->point.x + reach * cos(angle), b->point.y + reach * sin(angle)};
            CHECK(!holds(b, &b->bodies[i], at), "body %u is in the circle", i);
        }
    }
    qd_world_near nearest[BODIES];
    size_t count = 0, told = 0;
    CHECK(qd_world_nearest(b->world, b->point, b->radius, NULL, NULL, BODIES, nearest, &count) == QD_OK,
          "nearest refused");
    for (uint32_t i = 0; i < b->count; ++i) told += b->told[i];
    CHECK(count == told, "%zu nearest, %zu in the circle", count, told);
    for (size_t i = 0; i < count; ++i) {
        CHECK(b->told[nearest[i].body.index] && nearest[i].near.distance == b->at[nearest[i].body.index],
              "circle and nearest differ");
        CHECK(i == 0 || nearest[i - 1].near.distance <= nearest[i].near.distance, "not in order");
    }
}

// ---- worlds

static qd_shape draw_shape(bench *b, bool may_be_thin) {
    const double a = between(b, 0.3, 3.0), c = between(b, 0.3, 3.0);
    switch (qd_random_bits(&b->random) % 5) {
    case 0: return qd_shape_disk(0.5 * a);
    case 1: return qd_shape_rect(a, c);
    case 2: return qd_shape_capsule(a, may_be_thin ? 0.0 : 0.3 * c);
    case 3: {
        qd_shape round = qd_shape_rect(a, c);
        round.radius = 0.2;
        return round;
    }
    default: break;
    }
    qd_vec2 points[7];
    const int corners = 3 + (int)(qd_random_bits(&b->random) % 5);
    for (int i = 0; i < corners; ++i) {
        const double angle = 6.283185307179586 * (i + between(b, 0.0, 0.6)) / corners;
        points[i] = (qd_vec2){0.5 * a * cos(angle), 0.5 * a * sin(angle)};
    }
    qd_shape polygon;
    ck_assert_int_eq(qd_shape_polygon(points, (size_t)corners, &polygon, NULL, NULL), QD_OK);
    return polygon;
}

static void add_bodies(bench *b) {
    const size_t count = qd_random_bits(&b->random) % BODIES;
    for (size_t i = 0; i < count; ++i) {
        qd_body_def body = qd_body_def_default();
        body.kind = (qd_body_kind)(qd_random_bits(&b->random) % 3);
        body.shape = draw_shape(b, body.kind == QD_BODY_STATIC);
        body.position.x = b->def.origin.x + between(b, 0.15, 0.85) * b->def.size.x;
        body.position.y = b->def.origin.y + between(b, 0.15, 0.85) * b->def.size.y;
        body.angle = between(b, -3.0, 3.0);
        body.spin = between(b, -1.0, 1.0);
        qd_id id;
        qd_error error = {""};
        qd_status status = qd_world_add(b->world, &body, &id, &error);
        CHECK(status == QD_OK, "add: %s %s", qd_status_text(status), error.text);
    }
}

static void look_up_bodies(bench *b) {
    const qd_body_view view = qd_world_view(b->world);
    b->count = view.count;
    for (size_t r = 0; r < view.count; ++r)
        b->bodies[view.index[r]] = qd_test_body(b->world, (qd_id){view.index[r], view.generation[r]});
}

static void run_world(uint64_t seed) {
    static bench b;
    memset(&b, 0, sizeof b);
    b.seed = seed;
    b.random = qd_random_at(seed, 0, 0x9f);
    b.def = qd_test_random_def(&b.random);
    if (seed % 2 == 1) b.def.margin = 2; // bodies go round, and their boxes do not
    b.world = qd_test_world(&b.def);
    b.period.x = b.def.boundary_x == QD_BOUNDARY_PERIODIC ? b.def.size.x : 0.0;
    b.period.y = b.def.boundary_y == QD_BOUNDARY_PERIODIC ? b.def.size.y : 0.0;
    b.reach_x = b.period.x > 0.0 ? 4 : 0;
    b.reach_y = b.period.y > 0.0 ? 4 : 0;
    add_bodies(&b);
    ck_assert_int_eq(qd_world_detect(b.world), QD_OK);
    for (b.number = 0; b.number < 6; ++b.number) {
        look_up_bodies(&b);
        check_rays(&b);
        check_points(&b);
        if (b.number == 2) qd_test_step(b.world, 0.05, 3);
    }
    qd_world_destroy(b.world);
}

QD_TEST_LOOP(random_worlds, 0, 4) {
    qd_test_seeds(40, _i, run_world);
}

QD_TEST_MAIN("query_shapes", 300, NULL, NULL)
