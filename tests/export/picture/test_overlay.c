#include "export/picture/caption.h"
#include "export/picture/changes.h"
#include "export/picture/picture.h"
#include "export/raster/shade.h"
#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

QD_OWN_VALUE(qdi_picture, qdi_picture_destroy)

static const qdi_area area = {0, 0, 800, 800};

static qd_world *crowd(qd_boundary boundary, size_t count, uint64_t seed) {
    qd_world_def def = qd_test_def(40, 40);
    def.boundary_x = def.boundary_y = boundary;
    def.capacity = 4;
    def.seed = seed;
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(seed, 0, 0);
    for (size_t i = 0; i < count; ++i)
        (void)qd_test_disk(world, qd_test_between(&random, 1, 39), qd_test_between(&random, 1, 39),
                           qd_test_between(&random, -5, 5), qd_test_between(&random, -5, 5),
                           qd_test_between(&random, 0.2, 0.9), 0);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

static size_t count_ink(const qdi_picture *picture, uint8_t ink) {
    size_t count = 0;
    for (size_t i = 0; i < picture->frame_count; ++i) count += picture->frames[i].ink == ink;
    return count;
}

// Candidates are all whose boxes overlap the body's box in the tree, hits those of them that it touches.
QD_TEST(retrieve_is_brute_force) {
    size_t candidates = 0, hits = 0;
    for (uint64_t label = 1; label <= 60; ++label) {
        qd_own(qd_world) world = crowd(QD_BOUNDARY_REFLECT, 300, 7);
        qd_view view = qd_view_default();
        view.retrieve = label;
        qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
        ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, area, 1.0, NULL), QD_OK);
        const qd_tree *tree = qd_world_tree(world);
        qd_box own, other;
        ck_assert_int_eq(qd_tree_box(tree, (qd_body_index)label - 1, &own), QD_OK);
        size_t overlap = 0, touch = 0, count = 0;
        for (qd_body_index i = 0; i < 300; ++i) {
            ck_assert_int_eq(qd_tree_box(tree, i, &other), QD_OK);
            overlap += i != label - 1 && qd_box_overlap(own, other);
        }
        const qd_contact *contacts = qd_world_contacts(world, &count);
        for (size_t i = 0; i < count; ++i) {
            if (qd_id_is_wall(contacts[i].b)) continue;
            touch += contacts[i].a.index == label - 1 || contacts[i].b.index == label - 1;
        }
        ck_assert_uint_eq(count_ink(&picture, QDI_INK_CANDIDATE) + count_ink(&picture, QDI_INK_HIT), overlap);
        ck_assert_uint_eq(count_ink(&picture, QDI_INK_HIT), touch);
        ck_assert_uint_eq(count_ink(&picture, QDI_INK_ASKED), 1);
        size_t visited = count_ink(&picture, QDI_INK_VISITED);
        ck_assert(visited >= 1 && visited < picture.facts.nodes);
        ck_assert_uint_eq(picture.facts.retrieve.nodes, visited);
        ck_assert_uint_eq(picture.facts.retrieve.candidates, overlap);
        ck_assert_uint_eq(picture.facts.retrieve.hits, touch);
        candidates += overlap;
        hits += touch;
    }
    ck_assert(hits > 5 && candidates > hits);
}

// ---- a query

typedef struct asked {
    qd_vec2 low, high; // the world's
    qd_box box;        // the tree's
} asked;

static asked rectangle(qd_vec2 low, qd_vec2 high) {
    return (asked){low,
                   high,
                   {qd_float_below(low.x - 20), qd_float_below(low.y - 20), qd_float_above(high.x - 20),
                    qd_float_above(high.y - 20)}};
}

// Whether a box or a disk overlaps the rectangle, through any image where the world is periodic.
static bool box_overlaps(const asked *query, qd_box box, int reach) {
    for (int k = 0; k < (2 * reach + 1) * (2 * reach + 1); ++k) {
        const float x = 40.0F * (float)(k % (2 * reach + 1) - reach),
                    y = 40.0F * (float)(k / (2 * reach + 1) - reach);
        const qd_box moved = {box.min_x + x, box.min_y + y, box.max_x + x, box.max_y + y};
        if (qd_box_overlap(query->box, moved)) return true;
    }
    return false;
}

static bool disk_overlaps(const asked *query, const qd_body_state *body, int reach) {
    for (int k = 0; k < (2 * reach + 1) * (2 * reach + 1); ++k) {
        const double x = body->position.x + 40 * (k % (2 * reach + 1) - reach),
                     y = body->position.y + 40 * (k / (2 * reach + 1) - reach);
        const double dx = fmax(0, fmax(query->low.x - x, x - query->high.x)),
                     dy = fmax(0, fmax(query->low.y - y, y - query->high.y));
        if (dx * dx + dy * dy <= body->shape.radius * body->shape.radius) return true;
    }
    return false;
}

typedef struct node_look {
    const asked *query;
    int reach;
    size_t count;
} node_look;

static bool count_node(void *context, const qd_tree_node_info *node) {
    node_look *look = context;
    look->count += node->subtree > 0 && box_overlaps(look->query, node->bounds, look->reach);
    return true;
}

static void expect_query(const qd_world *world, const qd_view *view, asked query, int reach) {
    qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
    ck_assert_int_eq(qdi_picture_copy(&picture, world, view, area, 1.0, NULL), QD_OK);
    const qd_body_view bodies = qd_world_view(world);
    size_t candidates = 0, inside = 0;
    for (qd_body_index i = 0; i < bodies.index_count; ++i) {
        qd_box box;
        qd_body_state body;
        ck_assert_int_eq(qd_tree_box(qd_world_tree(world), i, &box), QD_OK);
        ck_assert_int_eq(qd_world_body(world, (qd_id){i, bodies.generation[bodies.row_of_index[i]]}, &body),
                         QD_OK);
        const bool in = disk_overlaps(&query, &body, reach);
        ck_assert_int_eq(picture.lit[i], in);
        inside += in;
        candidates += box_overlaps(&query, box, reach);
    }
    node_look look = {&query, reach, 0};
    qd_tree_visit_nodes(qd_world_tree(world), count_node, &look);
    ck_assert_uint_eq(picture.facts.query.hits, inside);
    ck_assert_uint_eq(picture.facts.query.candidates, candidates);
    ck_assert_uint_eq(picture.facts.query.nodes, look.count);
    ck_assert_uint_ge(picture.facts.query.tests, candidates);
    if (reach == 0) {
        ck_assert_uint_eq(count_ink(&picture, QDI_INK_CANDIDATE), candidates - inside);
        ck_assert_uint_eq(count_ink(&picture, QDI_INK_VISITED), look.count);
        ck_assert_uint_le(count_ink(&picture, QDI_INK_HIT), 1);
        ck_assert_uint_le(inside > 0, count_ink(&picture, QDI_INK_HIT));
    }
    for (size_t k = 0; k < picture.disk_count; ++k)
        ck_assert_int_eq(picture.disks[k].hue == QDI_HUE_STATIC, !picture.lit[picture.disks[k].index]);
}

QD_TEST_LOOP(query_is_brute_force, 0, 2) {
    qd_own(qd_world) world = crowd(_i == 0 ? QD_BOUNDARY_REFLECT : QD_BOUNDARY_PERIODIC, 300, 11);
    qd_random random = qd_random_at(12, (uint64_t)_i, 0);
    qd_view view = qd_view_default();
    view.colour = _i == 0 ? QD_VIEW_SPEED : QD_VIEW_ID;
    for (int k = 0; k < 60; ++k) {
        if (k % 5 == 4) qd_test_step(world, 0.02, 1);
        view.query.x = qd_test_between(&random, -10, 40);
        view.query.y = qd_test_between(&random, -10, 40);
        view.query.width = qd_test_between(&random, 0.1, k % 10 == 0 ? 60 : 15);
        view.query.height = qd_test_between(&random, 0.1, 15);
        const qd_vec2 low = {view.query.x, view.query.y},
                      high = {low.x + view.query.width, low.y + view.query.height};
        expect_query(world, &view, rectangle(low, high), _i == 0 ? 0 : 3);
    }
}

// The rectangle's middle is where the body is, or where the path is at that time.
QD_TEST_LOOP(query_follows, 0, 2) {
    qd_own(qd_world) world = crowd(QD_BOUNDARY_REFLECT, 200, 5);
    qd_view view = qd_view_default();
    view.query.x = view.query.y = 1;
    view.query.width = 8;
    view.query.height = 4;
    if (_i == 0) {
        view.query.follow = 42;
    } else {
        view.query.keys[0] = (qd_view_key){0, 10, 10, 1};
        view.query.keys[1] = (qd_view_key){0.4, 30, 20, 2};
        view.query.key_count = 2;
    }
    for (int k = 0; k < 6; ++k) {
        if (k > 0) qd_test_step(world, 0.1, 1);
        const qd_body_state body = qd_test_body(world, (qd_id){41, 1});
        qd_view_key at = {0, body.position.x, body.position.y, 1};
        ck_assert_uint_eq(body.label, 42);
        if (_i == 1) at = qdi_camera_between(&view.query, qd_world_time(world));
        const qd_vec2 low = {at.x - 4 / at.zoom, at.y - 2 / at.zoom};
        expect_query(world, &view, rectangle(low, (qd_vec2){low.x + 8 / at.zoom, low.y + 4 / at.zoom}), 0);
    }
}

// What is not in it is dim: of contacts only those of a body in it are marked.
QD_TEST(dim_contacts_have_no_marks) {
    qd_own(qd_world) world = qd_test_world(NULL);
    for (int i = 0; i < 3; ++i) {
        qd_test_disk(world, 10 + 30 * i, 50, 0, 0, 5, 0);
        qd_test_disk(world, 19.9 + 30 * i, 50, 0, 0, 5, 0);
    }
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_view view = qd_view_default();
    for (int queried = 0; queried < 2; ++queried) {
        qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
        if (queried) view.query.x = 38, view.query.y = 40, view.query.width = 3, view.query.height = 30;
        ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, area, 1.0, NULL), QD_OK);
        ck_assert_uint_eq(picture.mark_count, queried ? 1U : 3U);
        ck_assert_uint_eq(picture.facts.query.hits, queried ? 1U : 0U);
    }
}

QD_TEST(nobody_s_retrieve_shows_nothing) {
    qd_own(qd_world) world = crowd(QD_BOUNDARY_PERIODIC, 50, 3);
    qd_view view = qd_view_default();
    view.retrieve = 51;
    qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
    ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, area, 1.0, NULL), QD_OK);
    ck_assert_uint_eq(picture.frame_count, 0);
    ck_assert(picture.facts.retrieve.nodes == 0 && picture.facts.retrieve.candidates == 0 &&
              picture.facts.retrieve.hits == 0);
}

// Contacts of bodies that are gone have no marks; a retrieve is that of a tree which knows the bodies; and
// all that are there are seen, also in a part of the world, of which else the tree says who is there.
QD_TEST_LOOP(removed_bodies_have_no_contacts, 0, 2) {
    qd_own(qd_world) world = qd_test_gap(_i == 1);
    qd_view view = qd_view_default();
    view.retrieve = 101;
    for (int zoom = 5; zoom <= 20; zoom += 15) {
        view.camera.zoom = zoom;
        qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
        ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, area, 1.0, NULL), QD_OK);
        ck_assert_uint_eq(picture.disk_count, zoom == 5 && _i == 1 ? 3U : 2U);
        ck_assert_uint_eq(picture.mark_count, 0);
        ck_assert_uint_eq(picture.frame_count, 0);
    }
}

typedef struct cells {
    qdi_cell_of cell[4000];
    size_t count;
} cells;

static bool add_split(void *context, const qd_tree_node_info *node) {
    cells *all = context;
    ck_assert_uint_lt(all->count, 4000);
    if (!node->leaf) all->cell[all->count++] = (qdi_cell_of){node->side, node->min_y, node->min_x};
    return true;
}

static size_t missing(const cells *from, const cells *in) {
    size_t count = 0;
    for (size_t i = 0; i < from->count; ++i) {
        bool there = false;
        for (size_t j = 0; j < in->count && !there; ++j)
            there = memcmp(&from->cell[i], &in->cell[j], sizeof from->cell[i]) == 0;
        count += !there;
    }
    return count;
}

// What stands out is the difference of two trees, and as much as the refresh in between says.
QD_TEST(changes_are_differences_of_trees) {
    qd_own(qd_world) world = crowd(QD_BOUNDARY_REFLECT, 400, 11);
    qd_view view = qd_view_default();
    view.nodes = QD_VIEW_NODES_CHANGED;
    qdi_changes before = {.allocator = qd_allocator_default()};
    cells *old = qd_test_zeros(1, sizeof *old), *new = qd_test_zeros(1, sizeof *new);
    size_t changed = 0;
    for (int step = 0; step < 30; ++step) {
        ck_assert_int_eq(qdi_changes_note(&before, qd_world_tree(world)), QD_OK);
        old->count = new->count = 0;
        qd_tree_visit_nodes(qd_world_tree(world), add_split, old);
        qd_test_step(world, 0.02, 1);
        qd_tree_visit_nodes(qd_world_tree(world), add_split, new);
        qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
        ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, area, 1.0, &before), QD_OK);
        ck_assert_uint_eq(count_ink(&picture, QDI_INK_SPLIT), missing(new, old));
        ck_assert_uint_eq(count_ink(&picture, QDI_INK_MERGED), missing(old, new));
        changed += picture.frame_count;
    }
    ck_assert_uint_gt(changed, 10);
    free(old);
    free(new);
    qdi_changes_release(&before);
}

QD_TEST(impulses_make_normals_long) {
    qd_world_def def = qd_test_def(20, 20);
    def.gravity = (qd_vec2){0, -10};
    def.restitution = 0;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < 4; ++i) (void)qd_test_disk(world, 10, 0.5 + i, 0, 0, 0.5, 1);
    qd_test_step(world, 1.0 / 60, 60);
    qd_view view = qd_view_default();
    view.contacts = QD_VIEW_CONTACTS_IMPULSE;
    qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
    ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, area, 1.0, NULL), QD_OK);
    ck_assert_uint_eq(picture.mark_count, 4);
    // In a column the lower a contact is the more it carries; marks come in order of the contacts.
    float floor_half = 0, top_half = 1e9F;
    for (size_t i = 0; i < 4; ++i) {
        ck_assert(picture.marks[i].half >= 0.0F);
        if (picture.marks[i].half > floor_half) floor_half = picture.marks[i].half;
        if (picture.marks[i].half < top_half) top_half = picture.marks[i].half;
    }
    ck_assert(floor_half > 1.3F * top_half);
    view.contacts = QD_VIEW_CONTACTS_NONE;
    ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, area, 1.0, NULL), QD_OK);
    ck_assert_uint_eq(picture.mark_count, 0);
}

QD_TEST(shades_tell_what_they_say) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_body_def body = qd_body_def_default();
    for (int i = 0; i < 6; ++i) {
        body.position = (qd_vec2){10.0 + 10 * i, 50};
        body.shape.radius = 0.5 + 0.5 * i;
        body.spin = i % 2 ? -3.0 * i : 3.0 * i;
        body.material.friction = i % 3 * 0.25;
        body.kind = i == 5 ? QD_BODY_STATIC : QD_BODY_DYNAMIC;
        (void)qd_test_add(world, &body);
    }
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    for (int colour = QD_VIEW_CONTACT; colour <= QD_VIEW_PSI6; ++colour) {
        qd_view view = qd_view_default();
        view.colour = (qd_view_colour)colour;
        double top = qdi_shade_top(&view, world);
        const qdi_shade shade = qdi_shade_of(&view, world, top);
        const qd_body_view bodies = qd_world_view(world);
        unsigned hue[6];
        for (size_t i = 0; i < 6; ++i) hue[i] = qdi_shade_hue(&shade, bodies.row_of_index[i]);
        ck_assert_uint_eq(hue[5], QDI_HUE_STATIC);
        for (size_t i = 0; i < 5; ++i) ck_assert_uint_lt(hue[i], QDI_HUE_STATIC);
        if (colour == QD_VIEW_SIZE) {
            ck_assert_double_eq(top, 2.5);
            for (size_t i = 1; i < 5; ++i) ck_assert_uint_gt(hue[i], hue[i - 1]);
            ck_assert_uint_eq(hue[4], QDI_MAP_HUES - 1);
        }
        if (colour == QD_VIEW_SPIN)
            for (size_t i = 1; i < 4; ++i) ck_assert_uint_gt(hue[i], hue[i - 1]);
        if (colour == QD_VIEW_ID)
            for (size_t i = 1; i < 5; ++i) ck_assert_uint_ne(hue[i], hue[i - 1]);
        if (colour == QD_VIEW_MATERIAL) {
            ck_assert(hue[0] == hue[3] && hue[1] == hue[4]);
            ck_assert(hue[0] == 0 && hue[1] == 1 && hue[2] == 2);
        }
    }
    qd_view view = qd_view_default();
    view.colour = QD_VIEW_SIZE;
    view.range = (qd_vec2){1, 2};
    const qdi_shade shade = qdi_shade_of(&view, world, 99);
    ck_assert_uint_eq(qdi_shade_hue(&shade, qd_world_view(world).row_of_index[1]), 0);
    ck_assert_uint_eq(qdi_shade_hue(&shade, qd_world_view(world).row_of_index[3]), QDI_MAP_HUES - 1);
}

QD_TEST(scale_is_round) {
    static const double most[] = {1, 1.9, 2, 4.99, 5, 9.99, 10, 0.37, 1234, 3e-7};
    static const double want[] = {1, 1, 2, 2, 5, 5, 10, 0.2, 1000, 2e-7};
    char text[32];
    for (size_t i = 0; i < sizeof most / sizeof most[0]; ++i)
        ck_assert_double_eq_tol(qdi_caption_round(most[i], text), want[i], 1e-12 * want[i]);
    ck_assert_double_eq(qdi_caption_round(60.0, text), 50.0);
    ck_assert_str_eq(text, "50");
}

// Nothing that stands in the caption overlaps, at any size and with any colours.
QD_TEST(caption_items_keep_apart) {
    static const int sizes[][2] = {{160, 120},  {320, 200},   {640, 480},  {960, 160},
                                   {1280, 768}, {1920, 1080}, {3840, 2160}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        for (int colour = QD_VIEW_CONTACT; colour <= QD_VIEW_PSI6; ++colour) {
            qd_view view = qd_view_default();
            view.width = sizes[s][0];
            view.height = sizes[s][1];
            view.colour = (qd_view_colour)colour;
            view.title = true;
            qdi_caption caption;
            ck_assert_int_eq(qdi_caption_create(qd_allocator_default(), &view, "tumbler", &caption), QD_OK);
            int line = caption.font.ascent + caption.font.descent;
            ck_assert_int_ge(caption.font.size, 9);
            for (int i = 0; i < QDI_CAPTION_ITEMS; ++i) {
                const qdi_caption_place *a = &caption.place[i];
                if (!a->shown) continue;
                ck_assert(a->x >= 0 && a->x + a->width <= view.width);
                ck_assert(a->baseline > caption.band.min_y && a->baseline < caption.band.max_y);
                for (int j = 0; j < i; ++j) {
                    const qdi_caption_place *b = &caption.place[j];
                    if (!b->shown || abs(a->baseline - b->baseline) >= line) continue;
                    ck_assert_int_eq(a->baseline, b->baseline);
                    ck_assert(a->x >= b->x + b->width || b->x >= a->x + a->width);
                }
            }
            qdi_caption_destroy(&caption);
        }
    }
}

// One small picture of each style, of a world after a few steps, from the scene's keys to the pixels.
static void draw_style(const char *name, const char *scene_name, size_t steps, const char *const *sets,
                       size_t count) {
    qd_test_golden_scene(name, scene_name, steps, 1, sets, count);
}

static const char small[] = "view.size=[320, 200]";

QD_TEST(golden_size_light) {
    const char *sets[] = {small, "view.colour=size", "view.theme=light", "view.map=cividis",
                          "view.nodes=none"};
    draw_style("style_size", "sizes", 2, sets, 5);
}

QD_TEST(golden_occupancy_by_id) {
    const char *sets[] = {small, "view.colour=id", "view.nodes=occupancy", "view.title=true"};
    draw_style("style_occupancy", "clusters", 2, sets, 4);
}

QD_TEST(golden_changed) {
    const char *sets[] = {small, "view.colour=plain", "view.nodes=changed", "stepper.capacity=4",
                          "stepper.margin=0"};
    draw_style("style_changed", "pool", 3, sets, 5);
}

QD_TEST(golden_retrieve) {
    const char *sets[] = {small,
                          "view.retrieve=700",
                          "view.camera.follow=700",
                          "view.camera.zoom=5",
                          "view.theme=light",
                          "view.nodes=none",
                          "stepper.capacity=8"};
    draw_style("style_retrieve", "pool", 10, sets, 7);
}

QD_TEST_LOOP(golden_query, 0, 2) {
    const char *sets[] = {small,
                          "view.query.region=[20, 20, 30, 20]",
                          "view.query.path=[[0, 50, 30, 1], [1, 20, 50, 0.5]]",
                          "stepper.capacity=8",
                          "run.dt=0.05",
                          _i == 0 ? "view.theme=dark" : "view.theme=light",
                          _i == 0 ? "view.colour=contact" : "view.colour=speed",
                          _i == 0 ? "view.nodes=depth" : "view.nodes=none"};
    draw_style(_i == 0 ? "style_query" : "style_query_light", "pool", 10, sets, 8);
}

QD_TEST(golden_impulse) {
    const char *sets[] = {small,
                          "view.colour=spin",
                          "view.contacts=impulse",
                          "view.nodes=none",
                          "view.map=magma",
                          "view.camera.region=[0, 0, 12, 8]"};
    draw_style("style_impulse", "pyramid", 20, sets, 6);
}

QD_TEST(golden_periodic_part) {
    const char *sets[] = {small, "view.colour=depth", "view.camera.centre=[0, 0]", "view.camera.zoom=4"};
    draw_style("style_periodic", "gas", 2, sets, 4);
}

QD_TEST_MAIN("overlay", 120, NULL, NULL)
