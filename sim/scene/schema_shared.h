#pragma once

#include "sim/scene/schema_keys.h"

#include <math.h>

/// Rows of the schema that several kinds of bodies have. Each stands for rows of a table of qdi_key; `of` is
/// the path of the kind, a string.

/// What stages call it by.
#define NAME_KEY(of, in)                                                                                     \
    FREE_KEY(of ".name", NAME, in(name),                                                                     \
             "A name for stages to call it by (see stages.md); several may have it.", .otherwise = "none")

/// How many a generator makes.
#define COUNT_KEY(of)                                                                                        \
    NAME_KEY(of, IN_ITEM),                                                                                   \
        KEY(of ".count", UINT64, IN_ITEM(count), 0, QDI_BODIES_MAX, "How many.", .required = true)

/// Sizes that differ by a factor only.
#define SCALE_KEYS(of)                                                                                       \
    KEY(of ".scale", ONE_OF, IN_ITEM(scale.range.x), 0, 1e30,                                                \
        "Times the sizes above: the same for all, or the following.", .plain = QDI_KEY_REAL,                 \
        .form = IN_ITEM(scale.form), .above = true),                                                         \
        KEY(of ".scale.uniform", RANGE, IN_ITEM(scale.range), 0, 1e30,                                       \
            "Between the two, each as likely as any other.", .above = true)

/// How they are turned.
#define ANGLE_KEY(of)                                                                                        \
    ANY_KEY(of ".angle", REAL_OR_AUTO, IN_ITEM(angle),                                                       \
            "That they are turned by, in radians, counter-clockwise; `auto`: each its own, at random.")

/// Where a generator puts them. `bodies`: what they are called.
#define PLACE_KEYS(of, bodies)                                                                               \
    CHOICE_KEY(                                                                                              \
        of ".place", IN_ITEM(place), "grid|random|pyramid|clusters|cells",                                   \
        "`grid`: rows that fill the region, from its lower left corner; `random`: anywhere without "         \
        "overlap, the largest bodies first; `pyramid`: rows on top of each other, each one shorter by one "  \
        "than that below, the lowest one across the region's bottom; `clusters`: as `random`, but crowded "  \
        "about some middles; `cells`: each anywhere in the cell of a grid that it has to itself. A scene "   \
        "whose bodies do not fit is refused, with the number that did."),                                    \
        KEY(of ".spacing", PAIR_OR_AUTO, IN_ITEM(spacing), 0, 1e30,                                          \
            "With `place: grid` or `cells`: from one middle to the next along x and along y, row by row "    \
            "from the region's lower left corner; `auto`: as the region allows.",                            \
            .above = true),                                                                                  \
        GROUP_KEY(of ".clusters", "With `place: clusters`."),                                                \
        KEY(of ".clusters.count", UINT32, IN_ITEM(cluster_count), 1, QDI_BODIES_MAX,                         \
            "How many clusters, with their middles anywhere in the region."),                                \
        KEY(of ".clusters.spread", RANGE, IN_ITEM(cluster_spread), 0, 1,                                     \
            "How wide they are: the standard deviation of their bodies along x and y, as a part of the "     \
            "region's shorter side. Each cluster has its own, between the two.",                             \
            .above = true),                                                                                  \
        KEY(of ".region", REGION, IN_ITEM(region), -1e30, 1e30,                                              \
            "Where: x and y of the lower left corner, width, height. Whole " bodies                          \
            " lie inside, but those across the seam of a region as long as a periodic world.",               \
            .otherwise = "the world"),                                                                       \
        FREE_KEY(of ".round", BOOL, IN_ITEM(round),                                                          \
                 "Of the region, only the largest disk in its middle. Not with rows.")

/// How they move at first.
#define VELOCITY_KEYS(of)                                                                                    \
    ANY_KEY(of ".velocity", ONE_OF, IN_ITEM(velocity.value),                                                 \
            "The same for all, or one of the following. A lone `0` stands for `[0, 0]`.",                    \
            .plain = QDI_KEY_PAIR_OR_ZERO, .form = IN_ITEM(velocity.form)),                                  \
        KEY(of ".velocity.normal", REAL, IN_ITEM(velocity.value.x), 0, QDI_FURTHEST,                         \
            "Each component normal about 0 with this standard deviation."),                                  \
        KEY(of ".velocity.uniform", REAL, IN_ITEM(velocity.value.x), 0, QDI_FURTHEST,                        \
            "Each component between minus this and this.")

/// How they turn at first.
#define SPIN_KEYS(of)                                                                                        \
    ANY_KEY(of ".spin", ONE_OF, IN_ITEM(spin.value.x),                                                       \
            "Angular velocity, counter-clockwise, in radians per time: the same for all, or one of the "     \
            "following.",                                                                                    \
            .plain = QDI_KEY_REAL, .form = IN_ITEM(spin.form)),                                              \
        KEY(of ".spin.normal", REAL, IN_ITEM(spin.value.x), 0, QDI_FURTHEST,                                 \
            "Normal about 0 with this standard deviation."),                                                 \
        KEY(of ".spin.uniform", REAL, IN_ITEM(spin.value.x), 0, QDI_FURTHEST,                                \
            "Between minus this and this.")

/// Mass per area. `in`: the macro that says where a member of the body lies.
#define DENSITY_KEY(of, in)                                                                                  \
    KEY(of ".density", REAL_OR_AUTO, in(density), 0, QDI_FURTHEST,                                           \
        "Mass per area; `auto`: that of the material, or 1.", .above = true,                                 \
        .otherwise = "`1`; with a material `auto`")

/// How heavy they are. `body`: what one is called.
#define MASS_KEYS(of, body)                                                                                  \
    DENSITY_KEY(of, IN_ITEM), KEY(of ".mass", REAL_OR_AUTO, IN_ITEM(mass), 0, QDI_HEAVIEST,                  \
                                  "Of each " body "; `auto`: from its density and area.", .above = true)

/// What a surface does. `as`: what `auto` stands for; then what becomes of two.
#define VALUE_KEYS(of, in, as, restitution_of_two, friction_of_two)                                          \
    KEY(of ".restitution", REAL_OR_AUTO, in(restitution), 0, 1,                                              \
        "As `contact.restitution`; `auto`: " as "." restitution_of_two),                                     \
        KEY(of ".friction", REAL_OR_AUTO, in(friction), 0, (double)INFINITY,                                 \
            "As `contact.friction`; `auto`: " as "." friction_of_two),                                       \
        KEY(of ".tangential_restitution", REAL_OR_AUTO, in(tangential), 0, 1,                                \
            "As `contact.tangential_restitution`; `auto`: " as "." restitution_of_two)

/// A surface, with its material. `in`: the macro that says where a member of its qd_material lies.
#define MATERIAL_KEYS(at, in)                                                                                \
    FREE_KEY(at ".material", MATERIAL, in(of),                                                               \
             "What it is made of: one of `materials`, whose values count where none are given here.",        \
             .otherwise = "`none`"),                                                                         \
        VALUE_KEYS(at, in, "as the material has it, or that", " Of two surfaces the larger counts.",         \
                   " Of two surfaces the root of the product counts.")

/// Surface and filter. `in`: the macro that says where a member of the body lies; `whom`: "it can".
#define SURFACE_KEYS(of, in, in_material, whom)                                                              \
    MATERIAL_KEYS(of, in_material),                                                                          \
        GROUP_KEY(of ".filter",                                                                              \
                  "Whom " whom                                                                               \
                  " touch: two bodies touch if each one's category has a bit of the other's mask."),         \
        KEY(of ".filter.category", UINT32, in(filter.category), 0, UINT32_MAX, "A sum of 1, 2, 4, 8, ..."),  \
        KEY(of ".filter.mask", UINT32, in(filter.mask), 0, UINT32_MAX, "A sum of the same."),                \
        KEY(of ".filter.group", INT, in(filter.group), INT32_MIN, INT32_MAX,                                 \
            "Bodies of one group > 0 always touch, of one group < 0 never, whatever the category; 0: no "    \
            "group.")

/// Sizes of a body of a list, or of those that an emitter makes.
#define SIZE_KEYS(of, in)                                                                                    \
    KEY(of ".radius", REAL_OR_AUTO, in(radius), 0, QDI_FURTHEST,                                             \
        "Of a disk or capsule, `auto`: 0.5; of what is laid around a rect or polygon, `auto`: 0."),          \
        KEY(of ".size", PAIR, in(size), 0, QDI_FURTHEST, "Width and height of a rect.", .above = true),      \
        KEY(of ".length", REAL, in(length), 0, QDI_FURTHEST, "Of the line that a capsule is laid around.",   \
            .above = true),                                                                                  \
        ANY_KEY(of ".points", POINTS, in(points), "Corners of a convex polygon, 3 to 16, in any order.")
