#include "sim/scene/scene_impl.h"
#include "sim/text/lines.h"
#include "sim/world/pose.h"
#include "sim/world/world_impl.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/hash.h>
#include <stdio.h>
#include <string.h>

// ---- reading ----

/// Refuses a file that has become another since the scene was written.
static qd_status check_hash(const qdi_scene_reader *reader, qdi_yaml_ref node, qdi_item_file *item,
                            size_t number) {
    uint64_t hash = qd_hash_bytes(item->bodies.part.chars, item->bodies.part.used);
    if (item->hash != 0 && item->hash != hash)
        return qdi_scene_complain(
            reader, node, "bodies.%zu.file.hash: the file has changed: its hash is \"%016" PRIx64 "\"",
            number, hash);
    item->hash = hash;
    return QD_OK;
}

/// The scene goes on with a copy, which holds one frame and is called after its place in the scene.
static qd_status name_copy(qdi_item_file *item, size_t number) {
    char name[48];
    snprintf(name, sizeof name, "bodies_%zu%s", number, qdi_body_format_ending(item->bodies.format));
    item->path.used = 0;
    qdi_text_add(&item->path, name);
    item->options.format = item->bodies.format;
    item->options.frame_form = QDI_FRAME_NUMBER;
    item->options.frame = QDI_FRAME_LAST;
    return item->path.status;
}

/// Scene's files: says as what the columns of a table were read: what is left out in silence is missed only
/// when the run is over.
static qd_status note_columns(const qdi_scene_reader *reader, const qdi_item_file *item) {
    char shown[QDI_PATH_SHOWN];
    if (item->bodies.columns.used == 0) return QD_OK;
    qdi_text_add(reader->notes, qdi_path_shown(shown, item->from.chars));
    qdi_text_add(reader->notes, ": columns ");
    qdi_text_add(reader->notes, item->bodies.columns.chars);
    qdi_text_add(reader->notes, "\n");
    return reader->notes->status;
}

// Reads the body file that an item of a scene names.
static qd_status read_file_item(const qdi_scene_reader *reader, qdi_body_item *disks, size_t number,
                                qdi_yaml_ref node) {
    qdi_item_file *item = &disks->file;
    qd_status status = qdi_scene_locate(reader, &item->path, &item->from);
    if (status != QD_OK) return status;
    qd_error reason = {""};
    item->bodies.allocator = reader->allocator;
    status = qdi_body_file_read(item->from.chars, &item->options, &item->bodies, &reason);
    if (status == QD_ERR_NOT_FOUND || status == QD_ERR_IO) {
        static const char *const path[] = {"file", "path", NULL};
        return qdi_scene_complain(reader, qdi_scene_find(reader, node, path), "bodies.%zu.file.path: %.300s",
                                  number, reason.text);
    }
    if (status != QD_OK) return qdi_reason(reader->error, status, "%s", reason.text);
    static const char *const path[] = {"file", "hash", NULL};
    status = check_hash(reader, qdi_scene_find(reader, node, path), item, number);
    disks->count = item->bodies.count;
    if (status == QD_OK) status = note_columns(reader, item);
    return status == QD_OK ? name_copy(item, number) : status;
}

// ---- the world ----

/// What the scene itself says of the world.
typedef struct said {
    bool size, origin, boundary[2];
} said;

// Which keys of the world a scene gives itself, and not its body file.
static said find_said_keys(const qdi_scene_reader *reader) {
    static const char *const size[] = {"world", "size", NULL}, *const origin[] = {"world", "origin", NULL},
                             *const both[] = {"world", "boundary", NULL},
                             *const x[] = {"world", "boundary", "x", NULL},
                             *const y[] = {"world", "boundary", "y", NULL};
    qdi_yaml_ref boundary = qdi_scene_find(reader, reader->root, both);
    bool each = boundary && reader->yaml.nodes[boundary].kind == QDI_YAML_MAP;
    return (said){qdi_scene_find(reader, reader->root, size) != 0,
                  qdi_scene_find(reader, reader->root, origin) != 0,
                  {each ? qdi_scene_find(reader, reader->root, x) != 0 : boundary != 0,
                   each ? qdi_scene_find(reader, reader->root, y) != 0 : boundary != 0}};
}

/// Scene's files: takes from a file what nobody has said before it.
static void take_world(qd_world_def *world, const qdi_body_side side[2], said *known) {
    const qdi_body_side *x = &side[0], *y = &side[1];
    if (x->has_bounds && y->has_bounds) {
        if (!known->size) world->size = (qd_vec2){x->high - x->low, y->high - y->low};
        if (!known->origin) world->origin = (qd_vec2){x->low, y->low};
        known->size = known->origin = true;
    }
    if (!known->boundary[0] && x->has_boundary) world->boundary_x = x->boundary;
    if (!known->boundary[1] && y->has_boundary) world->boundary_y = y->boundary;
    known->boundary[0] |= x->has_boundary;
    known->boundary[1] |= y->has_boundary;
}

/// Scene's files: what another run's world says: its sides where they were at the step.
static void run_sides(const qdi_item_run *run, qdi_body_side side[2]) {
    qd_world_def def = qd_world_definition(run->world);
    qd_vec2 low, high;
    qd_world_sides(run->world, &low, &high);
    side[0] = (qdi_body_side){true, true, low.x, high.x, def.boundary_x};
    side[1] = (qdi_body_side){true, true, low.y, high.y, def.boundary_y};
}

// ---- bodies at the walls ----

/// How far outside bodies were that are inside now.
typedef struct moved {
    size_t count;
    double furthest;
} moved;

/// Scene's files: how far outside of walls along an axis a coordinate lies; 0: inside, or there are none.
static double outside_by(const qdi_axis *axis, double value) {
    if (axis->boundary != QD_BOUNDARY_REFLECT) return 0;
    return value < axis->low ? axis->low - value : value > axis->high ? value - axis->high : 0;
}

/// Scene's files: brings a coordinate into the world, onto a wall that it lies outside of.
static void move_inside(const qdi_axis *axis, double *at) {
    if (axis->boundary == QD_BOUNDARY_PERIODIC) *at = qdi_axis_wrap(axis, *at);
    if (outside_by(axis, *at) > 0) *at = *at < axis->low ? axis->low : axis->high;
}

// The axes of the world that a scene describes.
static void axes_of_def(const qd_world_def *world, qdi_axis axis[2]) {
    axis[0] = (qdi_axis){world->boundary_x, world->origin.x, world->origin.x + world->size.x, world->size.x};
    axis[1] = (qdi_axis){world->boundary_y, world->origin.y, world->origin.y + world->size.y, world->size.y};
}

/// Scene's files: brings listed bodies into the period; at walls, the world says what it does not take.
static void wrap_listed(const qd_world_def *world, qdi_body_item *item) {
    qdi_axis axis[2];
    axes_of_def(world, axis);
    for (size_t i = 0; i < item->listed_count; ++i) {
        qd_vec2 *at = &item->listed[i].def.position;
        *at = (qd_vec2){qdi_axis_wrap(&axis[0], at->x), qdi_axis_wrap(&axis[1], at->y)};
    }
}

/// Scene's files: refuses a disk that lies too far out, and says where all of its file lie: else who does not
/// know would try size after size.
static qd_status refuse_disk(const qdi_scene_reader *reader, const qdi_item_file *item,
                             const qdi_axis axis[2], const qdi_disk_row *row) {
    qd_vec2 low = {row->x, row->y}, high = low;
    for (size_t i = 0; i < item->bodies.count; ++i) {
        const qdi_disk_row *other = &item->bodies.rows[i];
        if (other->x < low.x) low.x = other->x;
        if (other->x > high.x) high.x = other->x;
        if (other->y < low.y) low.y = other->y;
        if (other->y > high.y) high.y = other->y;
    }
    return qdi_lines_reason(item->from.chars, row->line, reader->error,
                            "a disk of radius %.9g at (%.9g, %.9g) is outside the walls (x %.9g to %.9g, y "
                            "%.9g to %.9g); centres in the file: x %.9g to %.9g, y %.9g to %.9g",
                            row->radius, row->x, row->y, axis[0].low, axis[0].high, axis[1].low, axis[1].high,
                            low.x, high.x, low.y, high.y);
}

// Scene's files: moves disks of a body file that lie a little outside of walls inside: by no more than their
// radius, as soft contacts press them there.
static qd_status move_item_inside(const qdi_scene_reader *reader, qdi_item_file *item, moved *total) {
    qdi_axis axis[2];
    axes_of_def(&reader->settings->world, axis);
    for (size_t i = 0; i < item->bodies.count; ++i) {
        const qdi_disk_row *row = &item->bodies.rows[i];
        const double beyond[2] = {outside_by(&axis[0], row->x), outside_by(&axis[1], row->y)};
        const double outside = beyond[0] > beyond[1] ? beyond[0] : beyond[1];
        if (outside > row->radius) return refuse_disk(reader, item, axis, row);
        total->count += outside > 0;
        if (outside > total->furthest) total->furthest = outside;
    }
    for (size_t i = 0; i < item->bodies.count; ++i) {
        move_inside(&axis[0], &item->bodies.rows[i].x);
        move_inside(&axis[1], &item->bodies.rows[i].y);
    }
    return QD_OK;
}

// Scene's files: notes that disks of a body file lay outside the walls.
static qd_status note_moved_disks(const qdi_scene_reader *reader, const qdi_item_file *item,
                                  const moved *total) {
    char shown[QDI_PATH_SHOWN], line[QDI_PATH_SHOWN + 120];
    snprintf(line, sizeof line, "%s: %zu disk%s lay outside the walls, by %.3g at most: moved onto them\n",
             qdi_path_shown(shown, item->from.chars), total->count, total->count == 1 ? "" : "s",
             total->furthest);
    qdi_text_add(reader->notes, line);
    return reader->notes->status;
}

qd_status qdi_scene_files_read(qdi_scene_reader *reader) {
    qdi_settings *settings = reader->settings;
    qdi_yaml_ref list = qdi_yaml_find(&reader->yaml, reader->root, "bodies", strlen("bodies"));
    qdi_yaml_ref node = list ? reader->yaml.nodes[list].first : 0;
    said known = find_said_keys(reader);
    for (size_t i = 0; i < settings->item_count; ++i, node = reader->yaml.nodes[node].next) {
        qdi_body_item *item = &settings->items[i];
        bool run = item->kind == QDI_ITEM_RUN;
        if (!run && item->kind != QDI_ITEM_FILE) continue;
        qdi_body_side side[2];
        qd_status status = run ? qdi_item_run_read(reader, item, i, node)
                               : read_file_item(reader, item, i, node);
        if (status != QD_OK) return status;
        if (run)
            run_sides(&item->run, side);
        else
            memcpy(side, item->file.bodies.side, sizeof side);
        take_world(&settings->world, side, &known);
    }
    for (size_t i = 0; i < settings->item_count; ++i) {
        wrap_listed(&settings->world, &settings->items[i]);
        if (settings->items[i].kind != QDI_ITEM_FILE) continue;
        qdi_item_file *item = &settings->items[i].file;
        moved total = {0, 0};
        qd_status status = move_item_inside(reader, item, &total);
        if (status == QD_OK && total.count > 0) status = note_moved_disks(reader, item, &total);
        if (status != QD_OK) return status;
    }
    return qdi_scene_labels(reader);
}
