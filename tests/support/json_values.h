#pragma once

#include <check.h>
#include <jansson.h>

/// Values of JSON objects; a key that is missing, or has another kind of value, ends the test.

static inline json_int_t whole(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_integer(value), "%s is no whole number", key);
    return json_integer_value(value);
}

static inline double real(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_number(value), "%s is no number", key);
    return json_number_value(value);
}

static inline const char *text(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_string(value), "%s is no text", key);
    return json_string_value(value);
}
