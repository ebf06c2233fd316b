// From an axis as the file has it to its values, which are texts: what stands behind "--set KEY=".

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/sweep/sweep_impl.h"
#include "sim/text/number.h"

#include <quadrille/hash.h>
#include <quadrille/math.h>
#include <quadrille/random.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// What the random numbers are for: a stream of their own beside those of scenes.
static const uint32_t use_sweep = 0x73776570U;

/// Digits that are kept of a number that was computed: so that 0.1 + 0.1 + 0.1 is 0.3, and a seventh has an
/// end.
enum { DIGITS_EVEN = 15, DIGITS_OTHER = 12 };

/// Largest whole number that a double counts up to.
#define WHOLE_MAX 9007199254740992.0

/// The ways to give values.
typedef enum axis_form {
    FORM_LIST,
    FORM_RANGE,
    FORM_LOG,
    FORM_UNIFORM,
    FORM_NORMAL,
    FORM_LOGUNIFORM,
    FORMS
} axis_form;

static const char *const form_words[FORMS] = {"list", "range", "log", "uniform", "normal", "loguniform"};

/// An axis of numbers.
typedef struct axis_numbers {
    axis_form form;
    double first, second; ///< start and stop; bounds; mean and deviation
    double step;          ///< of a range, 0: by count
    uint64_t count, seed, stream;
    bool whole;
} axis_numbers;

// ---- keys ----

// Whether another axis of the sweep changes this key already.
static bool is_key_used(const qdi_sweep *sweep, const char *path, size_t bytes) {
    const char *texts = sweep->texts.chars;
    for (size_t i = 0; i < sweep->column_count; ++i)
        if (strlen(texts + sweep->columns[i].key) == bytes &&
            memcmp(texts + sweep->columns[i].key, path, bytes) == 0)
            return true;
    for (size_t i = 0; i < sweep->fixed_count; ++i)
        if (strlen(texts + sweep->fixed[i].key) == bytes &&
            memcmp(texts + sweep->fixed[i].key, path, bytes) == 0)
            return true;
    return false;
}

qd_status qdi_sweep_key_check(const qdi_sweep_reader *reader, qdi_yaml_ref node, const char *path,
                              size_t bytes, const qdi_key **key) {
    char quote[QDI_QUOTE_ROOM], hint[QDI_QUOTE_ROOM];
    qdi_quote(quote, path, bytes);
    *key = qdi_sweep_scene_key(path, bytes, hint);
    if (!*key) return qdi_sweep_complain(reader, node, "no key of a scene is called \"%s\"%s", quote, hint);
    if ((*key)->planned) return qdi_sweep_complain(reader, node, "%s is known, but not built yet", quote);
    if (is_key_used(reader->sweep, path, bytes))
        return qdi_sweep_complain(reader, node, "%s is on another axis, or in set, already", quote);
    return QD_OK;
}

// ---- values as they stand in the file ----

// Whether a value in a sweep's file is left out.
static bool is_axis_null(const qdi_sweep_reader *reader, const qdi_yaml_node *here) {
    const char *text = reader->yaml.chars + here->text;
    return here->plain && (here->bytes == 0 || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

/// Sweep's axis: a text in double quotes, as JSON has it.
static void add_quoted(qdi_text *text, const char *chars, size_t bytes) {
    qdi_text_add(text, "\"");
    for (size_t i = 0; i < bytes; ++i) {
        char escape[8];
        if (chars[i] == '"' || chars[i] == '\\')
            snprintf(escape, sizeof escape, "\\%c", chars[i]);
        else if ((unsigned char)chars[i] < ' ')
            snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)chars[i]);
        else
            snprintf(escape, sizeof escape, "%c", chars[i]);
        qdi_text_add(text, escape);
    }
    qdi_text_add(text, "\"");
}

/// Sweep's axis: true for plain text that means the same in any place.
static bool is_safe(const char *chars, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
        char c = chars[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && !strchr("_.+-/", c)) return false;
    }
    return bytes > 0;
}

qd_status qdi_sweep_flow(const qdi_sweep_reader *reader, qdi_yaml_ref node, qdi_text *text) {
    const qdi_yaml *yaml = &reader->yaml;
    const qdi_yaml_node *here = &yaml->nodes[node];
    if (here->kind == QDI_YAML_VALUE) {
        if (is_axis_null(reader, here)) return qdi_sweep_complain(reader, node, "a value is missing");
        const char *chars = yaml->chars + here->text;
        if (here->plain && is_safe(chars, here->bytes))
            qdi_text_add_bytes(text, chars, here->bytes);
        else
            add_quoted(text, chars, here->bytes);
        return text->status;
    }
    bool map = here->kind == QDI_YAML_MAP;
    qdi_text_add(text, map ? "{" : "[");
    for (qdi_yaml_ref child = here->first; child; child = yaml->nodes[child].next) {
        if (child != here->first) qdi_text_add(text, ", ");
        if (map) {
            add_quoted(text, yaml->chars + yaml->nodes[child].key, yaml->nodes[child].key_bytes);
            qdi_text_add(text, ": ");
        }
        qd_status status = qdi_sweep_flow(reader, child, text);
        if (status != QD_OK) return status;
    }
    qdi_text_add(text, map ? "}" : "]");
    return text->status;
}

// Adds a value to an axis of a sweep.
static qd_status add_axis_value(qdi_sweep *sweep, const char *text, size_t bytes) {
    size_t place = 0;
    qd_status status = qdi_sweep_keep(sweep, text, bytes, &place);
    if (status == QD_OK)
        status = qdi_reserve(sweep->allocator, &sweep->values, &sweep->value_room, sweep->value_count,
                             sweep->value_count + 1, sizeof *sweep->values);
    if (status == QD_OK) sweep->values[sweep->value_count++] = place;
    return status;
}

// Adds the values that an axis of a sweep lists.
static qd_status add_axis_list(const qdi_sweep_reader *reader, qdi_yaml_ref list, qdi_sweep_column *column) {
    const qdi_yaml_node *here = &reader->yaml.nodes[list];
    if (here->kind != QDI_YAML_LIST || here->count == 0)
        return qdi_sweep_complain(reader, list, "list must be a list of values: [1, 2, 3]");
    qd_status status = QD_OK;
    for (qdi_yaml_ref child = here->first; child && status == QD_OK; child = reader->yaml.nodes[child].next) {
        qdi_text value = {.allocator = reader->sweep->allocator};
        status = qdi_sweep_flow(reader, child, &value);
        if (status == QD_OK) status = add_axis_value(reader->sweep, value.chars, value.used);
        qdi_text_release(&value);
    }
    column->count = here->count;
    return status;
}

// ---- numbers ----

// A number of an axis rounded to so many digits.
static double round_axis_value(double value, int digits) {
    char text[40];
    char *end = NULL;
    (void)qdi_os_print_double(text, sizeof text, digits, value);
    return qdi_os_read_double(text, &end) + 0.0; // zero comes without its sign
}

/// Sweep's axis: value number `i`.
static double number_at(const axis_numbers *axis, uint64_t i) {
    qd_random random = qd_random_at(axis->seed, qd_hash_mix(axis->stream, i), use_sweep);
    double part = axis->count > 1 ? (double)i / (double)(axis->count - 1) : 0;
    bool last = axis->step == 0 && axis->count > 1 && i == axis->count - 1;
    switch (axis->form) {
    case FORM_RANGE:
        if (axis->step != 0) return round_axis_value(axis->first + (double)i * axis->step, DIGITS_EVEN);
        return last ? axis->second
                    : round_axis_value(axis->first + (axis->second - axis->first) * part, DIGITS_EVEN);
    case FORM_LOG:
        if (i == 0 || last) return i == 0 ? axis->first : axis->second;
        return round_axis_value(axis->first * qd_exp(qd_log(axis->second / axis->first) * part),
                                DIGITS_OTHER);
    case FORM_UNIFORM:
        part = qd_random_uniform(&random);
        // Each whole number from the first to the second is as likely as any other.
        if (axis->whole) return axis->first + floor(part * (axis->second - axis->first + 1));
        return round_axis_value(axis->first + (axis->second - axis->first) * part, DIGITS_OTHER);
    case FORM_NORMAL:
        return round_axis_value(axis->first + axis->second * qd_random_normal(&random), DIGITS_OTHER);
    default:
        return round_axis_value(axis->first *
                                    qd_exp(qd_log(axis->second / axis->first) * qd_random_uniform(&random)),
                                DIGITS_OTHER);
    }
}

// Adds the numbers that an axis of a sweep spans.
static qd_status add_axis_numbers(qdi_sweep *sweep, const axis_numbers *axis) {
    qd_status status = QD_OK;
    for (uint64_t i = 0; i < axis->count && status == QD_OK; ++i) {
        char text[QDI_NUMBER_ROOM];
        double value = number_at(axis, i);
        if (axis->whole && fabs(value) < WHOLE_MAX) value = floor(value + 0.5);
        status = add_axis_value(sweep, text, qdi_number_write(value, text));
    }
    return status;
}

// Reads a number of an axis of a sweep.
static qd_status read_axis_real(const qdi_sweep_reader *reader, qdi_yaml_ref node, const char *what,
                                double *value) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    bool good = here->kind == QDI_YAML_VALUE && here->plain &&
                qdi_number_read(reader->yaml.chars + here->text, here->bytes, value) &&
                fabs(*value) <= DBL_MAX / 4;
    return good ? QD_OK : qdi_sweep_complain(reader, node, "%s must be a number", what);
}

/// Sweep's axis: counts the steps from start to stop, both ends included where the last step hits the stop.
static qd_status count_steps(const qdi_sweep_reader *reader, qdi_yaml_ref node, axis_numbers *axis) {
    double steps = axis->step != 0 ? (axis->second - axis->first) / axis->step : -1;
    if (!(steps >= 0))
        return qdi_sweep_complain(reader, node, "range: step must lead from start to stop, and not be 0");
    steps = floor(steps + 1e-9) + 1;
    if (steps > QDI_SWEEP_LONGEST)
        return qdi_sweep_complain(reader, node, "range: has more than %d values", QDI_SWEEP_LONGEST);
    axis->count = (uint64_t)steps;
    return QD_OK;
}

/// Sweep's axis: {start, stop, step or count} of a range, {start, stop, count} of a logarithmic one.
static qd_status read_range(const qdi_sweep_reader *reader, qdi_yaml_ref node, axis_numbers *axis) {
    const char *what = form_words[axis->form];
    bool even = axis->form == FORM_RANGE;
    qd_status status = qdi_sweep_known(reader, node, what,
                                       even ? "start stop step count" : "start stop count");
    if (status != QD_OK) return status;
    qdi_yaml_ref start = qdi_sweep_child(reader, node, "start"), stop = qdi_sweep_child(reader, node, "stop"),
                 step = qdi_sweep_child(reader, node, "step"), count = qdi_sweep_child(reader, node, "count");
    if (!start || !stop || !step == !count)
        return qdi_sweep_complain(reader, node, "%s needs start, stop and %s", what,
                                  even ? "either step or count" : "count");
    status = read_axis_real(reader, start, "start", &axis->first);
    if (status == QD_OK) status = read_axis_real(reader, stop, "stop", &axis->second);
    if (status == QD_OK && !even && !(axis->first > 0 && axis->second > 0))
        return qdi_sweep_complain(reader, node, "log: start and stop must be > 0");
    if (status == QD_OK && step) status = read_axis_real(reader, step, "step", &axis->step);
    if (status == QD_OK && step) return count_steps(reader, node, axis);
    if (status == QD_OK) status = qdi_sweep_whole(reader, count, "count", 1, QDI_SWEEP_LONGEST, &axis->count);
    return status;
}

/// Sweep's axis: [low, high] or [mean, deviation], with `count` and `seed` beside it in `map`.
static qd_status read_sampled(const qdi_sweep_reader *reader, qdi_yaml_ref map, qdi_yaml_ref node,
                              axis_numbers *axis) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    const char *what = form_words[axis->form];
    bool normal = axis->form == FORM_NORMAL, logarithmic = axis->form == FORM_LOGUNIFORM;
    qdi_yaml_ref count = qdi_sweep_child(reader, map, "count"), seed = qdi_sweep_child(reader, map, "seed");
    if (here->kind != QDI_YAML_LIST || here->count != 2)
        return qdi_sweep_complain(reader, node, "%s must be two numbers: %s", what,
                                  normal ? "[mean, deviation]" : "[lowest, highest]");
    qd_status status = read_axis_real(reader, here->first, what, &axis->first);
    if (status == QD_OK) status = read_axis_real(reader, here->last, what, &axis->second);
    if (status != QD_OK) return status;
    if (normal ? !(axis->second > 0) : !(axis->first < axis->second) || (logarithmic && !(axis->first > 0)))
        return qdi_sweep_complain(reader, node, "%s: %s", what,
                                  normal        ? "the deviation must be > 0"
                                  : logarithmic ? "the first number must be > 0 and below the second"
                                                : "the first number must be below the second");
    if (axis->whole && axis->form == FORM_UNIFORM &&
        (floor(axis->first) < axis->first || floor(axis->second) < axis->second))
        return qdi_sweep_complain(reader, node,
                                  "uniform: the key takes whole numbers, so both must be whole");
    if (!count) return qdi_sweep_complain(reader, node, "%s needs a count of samples beside it", what);
    status = qdi_sweep_whole(reader, count, "count", 1, QDI_SWEEP_LONGEST, &axis->count);
    if (status == QD_OK && seed) status = qdi_sweep_whole(reader, seed, "seed", 0, UINT64_MAX, &axis->seed);
    return status;
}

/// The one form that an axis has.
static qd_status find_form(const qdi_sweep_reader *reader, qdi_yaml_ref map, axis_form *form,
                           qdi_yaml_ref *node) {
    static const char one[] = "an axis needs exactly one of list, range, log, uniform, normal, loguniform";
    *node = 0;
    for (int i = 0; i < FORMS; ++i) {
        qdi_yaml_ref child = qdi_sweep_child(reader, map, form_words[i]);
        if (!child) continue;
        if (*node) return qdi_sweep_complain(reader, child, "%s", one);
        *node = child;
        *form = (axis_form)i;
    }
    if (!*node) return qdi_sweep_complain(reader, map, "%s", one);
    bool sampled = *form >= FORM_UNIFORM;
    qdi_yaml_ref count = qdi_sweep_child(reader, map, "count"), seed = qdi_sweep_child(reader, map, "seed");
    if (!sampled && (count || seed))
        return qdi_sweep_complain(reader, count ? count : seed, "%s has no %s beside it%s", form_words[*form],
                                  count ? "count" : "seed",
                                  count && *form != FORM_LIST ? ": it stands within" : "");
    return QD_OK;
}

/// Sweep's axis: values by number need a key that takes one.
static qd_status check_number(const qdi_sweep_reader *reader, qdi_yaml_ref node, const qdi_key *key,
                              axis_numbers *axis) {
    char expected[QDI_EXPECTED_ROOM];
    if (qdi_sweep_takes_number(key, &axis->whole)) return QD_OK;
    return qdi_sweep_complain(reader, node, "%s takes %s and no single number: give it a list", key->path,
                              qdi_schema_expected(key, expected));
}

// Adds an axis to a sweep.
static qd_status add_axis_column(const qdi_sweep_reader *reader, const qdi_sweep_column *column) {
    qdi_sweep *sweep = reader->sweep;
    qd_status status = qdi_reserve(sweep->allocator, &sweep->columns, &sweep->column_room,
                                   sweep->column_count, sweep->column_count + 1, sizeof *sweep->columns);
    if (status == QD_OK) sweep->columns[sweep->column_count++] = *column;
    return status;
}

/// Sweep's axis: one key with its values.
static qd_status read_column(const qdi_sweep_reader *reader, qdi_yaml_ref map) {
    qdi_sweep *sweep = reader->sweep;
    qd_status status = qdi_sweep_known(reader, map, "an axis",
                                       "key list range log uniform normal loguniform count seed zip");
    if (status != QD_OK) return status;
    qdi_yaml_ref name = qdi_sweep_child(reader, map, "key"), node = 0;
    if (!name || reader->yaml.nodes[name].kind != QDI_YAML_VALUE)
        return qdi_sweep_complain(reader, name ? name : map,
                                  "an axis needs the key of the scene: key: contact.friction");
    const char *path = reader->yaml.chars + reader->yaml.nodes[name].text;
    size_t bytes = reader->yaml.nodes[name].bytes;
    const qdi_key *key = NULL;
    axis_numbers axis = {.seed = 1, .stream = qd_hash_bytes(path, bytes)};
    qdi_sweep_column column = {.first = sweep->value_count, .line = reader->yaml.nodes[map].line};
    status = qdi_sweep_key_check(reader, name, path, bytes, &key);
    if (status == QD_OK) status = find_form(reader, map, &axis.form, &node);
    if (status == QD_OK) status = qdi_sweep_keep(sweep, path, bytes, &column.key);
    if (status != QD_OK) return status;
    if (axis.form == FORM_LIST) {
        status = add_axis_list(reader, node, &column);
    } else {
        status = check_number(reader, node, key, &axis);
        if (status == QD_OK)
            status = axis.form >= FORM_UNIFORM ? read_sampled(reader, map, node, &axis)
                                               : read_range(reader, node, &axis);
        if (status == QD_OK) status = add_axis_numbers(sweep, &axis);
        column.count = axis.count;
    }
    return status == QD_OK ? add_axis_column(reader, &column) : status;
}

// Reads axes of a sweep that go together.
static qd_status read_zipped_axes(const qdi_sweep_reader *reader, qdi_yaml_ref list) {
    const qdi_yaml *yaml = &reader->yaml;
    qdi_sweep *sweep = reader->sweep;
    if (yaml->nodes[list].kind != QDI_YAML_LIST || yaml->nodes[list].count < 2)
        return qdi_sweep_complain(reader, list, "zip must be a list of at least two axes");
    size_t first = sweep->column_count;
    for (qdi_yaml_ref child = yaml->nodes[list].first; child; child = yaml->nodes[child].next) {
        if (yaml->nodes[child].kind == QDI_YAML_MAP && qdi_sweep_child(reader, child, "zip"))
            return qdi_sweep_complain(reader, child, "zip within zip says nothing new: make it one");
        qd_status status = read_column(reader, child);
        if (status != QD_OK) return status;
        const qdi_sweep_column *a = &sweep->columns[first], *b = &sweep->columns[sweep->column_count - 1];
        if (a->count != b->count)
            return qdi_sweep_complain(reader, child, "zip: %s has %llu values and %s has %llu",
                                      sweep->texts.chars + a->key, (unsigned long long)a->count,
                                      sweep->texts.chars + b->key, (unsigned long long)b->count);
    }
    return QD_OK;
}

qd_status qdi_sweep_axis_read(const qdi_sweep_reader *reader, qdi_yaml_ref node) {
    qdi_sweep *sweep = reader->sweep;
    bool map = reader->yaml.nodes[node].kind == QDI_YAML_MAP;
    qdi_yaml_ref zip = map ? qdi_sweep_child(reader, node, "zip") : 0;
    if (zip && reader->yaml.nodes[node].count > 1)
        return qdi_sweep_complain(reader, node, "zip stands alone: its axes are inside");
    size_t first = sweep->column_count;
    qd_status status = zip ? read_zipped_axes(reader, zip) : read_column(reader, node);
    if (status == QD_OK)
        status = qdi_reserve(sweep->allocator, &sweep->axes, &sweep->axis_room, sweep->axis_count,
                             sweep->axis_count + 1, sizeof *sweep->axes);
    if (status == QD_OK)
        sweep->axes[sweep->axis_count++] = (qdi_sweep_axis){first, sweep->column_count - first,
                                                            sweep->columns[first].count};
    return status;
}
