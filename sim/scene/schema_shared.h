#ifndef QD_SIM_SCHEMA_SHARED_H
#define QD_SIM_SCHEMA_SHARED_H

#include "sim/scene/schema_keys.h"

#include <math.h>

/// Rows of the schema that several kinds of bodies have. Each stands for rows of a table of qdi_key; `of` is
/// the path of the kind, a string.

/// How many a generator makes.
#define COUNT_KEY(of)                                                                                        \
    {                                                                                                        \
        .path = of ".count", .type = QDI_KEY_UINT64, .required = true, .offset = IN_ITEM(count),             \
        .high = QDI_BODIES_MAX, .about = "How many."                                                         \
    }

/// Sizes that differ by a factor only.
#define SCALE_KEYS(of)                                                                                       \
    {.path = of ".scale",                                                                                    \
     .type = QDI_KEY_ONE_OF,                                                                                 \
     .plain = QDI_KEY_REAL,                                                                                  \
     .offset = IN_ITEM(scale.range.x),                                                                       \
     .form = IN_ITEM(scale.form),                                                                            \
     .above = true,                                                                                          \
     .high = 1e30,                                                                                           \
     .about = "Times the sizes above: the same for all, or the following."},                                 \
    {                                                                                                        \
        .path = of ".scale.uniform", .type = QDI_KEY_RANGE, .offset = IN_ITEM(scale.range), .above = true,   \
        .high = 1e30, .about = "Between the two, each as likely as any other."                               \
    }

/// How they are turned.
#define ANGLE_KEY(of)                                                                                        \
    {                                                                                                        \
        .path = of ".angle", .type = QDI_KEY_REAL_OR_AUTO, .offset = IN_ITEM(angle), .low = -QDI_FURTHEST,   \
        .high = QDI_FURTHEST,                                                                                \
        .about = "That they are turned by, in radians, counter-clockwise; `auto`: each its own, at random."  \
    }

/// Where a generator puts them. `bodies`: what they are called.
#define PLACE_KEYS(of, bodies)                                                                               \
    {.path = of ".place",                                                                                    \
     .type = QDI_KEY_CHOICE,                                                                                 \
     .offset = IN_ITEM(place),                                                                               \
     .choices = "grid|random|pyramid|clusters",                                                              \
     .about =                                                                                                \
         "`grid`: rows that fill the region, from its lower left corner; `random`: anywhere without "        \
         "overlap, the largest bodies first; `pyramid`: rows on top of each other, each one shorter by one " \
         "than that below, the lowest one across the region's bottom; `clusters`: as `random`, but crowded " \
         "about some middles. A scene whose bodies do not fit is refused, with the number that did."},       \
        {.path = of ".spacing",                                                                              \
         .type = QDI_KEY_PAIR_OR_AUTO,                                                                       \
         .offset = IN_ITEM(spacing),                                                                         \
         .above = true,                                                                                      \
         .high = 1e30,                                                                                       \
         .about = "With `place: grid`: from one middle to the next along x and along y, row by row from "    \
                  "the region's lower left corner; `auto`: as the region allows."},                          \
        {.path = of ".clusters", .type = QDI_KEY_GROUP, .about = "With `place: clusters`."},                 \
        {.path = of ".clusters.count",                                                                       \
         .type = QDI_KEY_UINT32,                                                                             \
         .offset = IN_ITEM(cluster_count),                                                                   \
         .low = 1,                                                                                           \
         .high = QDI_BODIES_MAX,                                                                             \
         .about = "How many clusters, with their middles anywhere in the region."},                          \
        {.path = of ".clusters.spread",                                                                      \
         .type = QDI_KEY_RANGE,                                                                              \
         .offset = IN_ITEM(cluster_spread),                                                                  \
         .above = true,                                                                                      \
         .high = 1,                                                                                          \
         .about = "How wide they are: the standard deviation of their bodies along x and y, as a part of "   \
                  "the region's shorter side. Each cluster has its own, between the two."},                  \
        {.path = of ".region",                                                                               \
         .type = QDI_KEY_REGION,                                                                             \
         .offset = IN_ITEM(region),                                                                          \
         .low = -1e30,                                                                                       \
         .high = 1e30,                                                                                       \
         .otherwise = "the world",                                                                           \
         .about = "Where: x and y of the lower left corner, width, height. Whole " bodies                    \
                  " lie inside, but those across the seam of a region as long as a periodic world."},        \
    {                                                                                                        \
        .path = of ".round", .type = QDI_KEY_BOOL, .offset = IN_ITEM(round),                                 \
        .about = "Of the region, only the largest disk in its middle. Not with rows."                        \
    }

/// How they move at first.
#define VELOCITY_KEYS(of)                                                                                    \
    {.path = of ".velocity",                                                                                 \
     .type = QDI_KEY_ONE_OF,                                                                                 \
     .plain = QDI_KEY_PAIR_OR_ZERO,                                                                          \
     .offset = IN_ITEM(velocity.value),                                                                      \
     .form = IN_ITEM(velocity.form),                                                                         \
     .low = -QDI_FURTHEST,                                                                                   \
     .high = QDI_FURTHEST,                                                                                   \
     .about = "The same for all, or one of the following. A lone `0` stands for `[0, 0]`."},                 \
        {.path = of ".velocity.normal",                                                                      \
         .type = QDI_KEY_REAL,                                                                               \
         .offset = IN_ITEM(velocity.value.x),                                                                \
         .high = QDI_FURTHEST,                                                                               \
         .about = "Each component normal about 0 with this standard deviation."},                            \
    {                                                                                                        \
        .path = of ".velocity.uniform", .type = QDI_KEY_REAL, .offset = IN_ITEM(velocity.value.x),           \
        .high = QDI_FURTHEST, .about = "Each component between minus this and this."                         \
    }

/// How they turn at first.
#define SPIN_KEYS(of)                                                                                        \
    {.path = of ".spin",                                                                                     \
     .type = QDI_KEY_ONE_OF,                                                                                 \
     .plain = QDI_KEY_REAL,                                                                                  \
     .offset = IN_ITEM(spin.value.x),                                                                        \
     .form = IN_ITEM(spin.form),                                                                             \
     .low = -QDI_FURTHEST,                                                                                   \
     .high = QDI_FURTHEST,                                                                                   \
     .about = "Angular velocity, counter-clockwise, in radians per time: the same for all, or one of the "   \
              "following."},                                                                                 \
        {.path = of ".spin.normal",                                                                          \
         .type = QDI_KEY_REAL,                                                                               \
         .offset = IN_ITEM(spin.value.x),                                                                    \
         .high = QDI_FURTHEST,                                                                               \
         .about = "Normal about 0 with this standard deviation."},                                           \
    {                                                                                                        \
        .path = of ".spin.uniform", .type = QDI_KEY_REAL, .offset = IN_ITEM(spin.value.x),                   \
        .high = QDI_FURTHEST, .about = "Between minus this and this."                                        \
    }

/// How heavy they are. `body`: what one is called.
#define MASS_KEYS(of, body)                                                                                  \
    {.path = of ".density",                                                                                  \
     .type = QDI_KEY_REAL,                                                                                   \
     .offset = IN_ITEM(density),                                                                             \
     .above = true,                                                                                          \
     .high = QDI_FURTHEST,                                                                                   \
     .about = "Mass per area."},                                                                             \
    {                                                                                                        \
        .path = of ".mass", .type = QDI_KEY_REAL_OR_AUTO, .offset = IN_ITEM(mass), .above = true,            \
        .high = QDI_HEAVIEST, .about = "Of each " body "; `auto`: from its density and area."                \
    }

/// Surface and filter. `in`: the macro that says where a member of the body lies.
#define SURFACE_KEYS(of, in)                                                                                 \
    {.path = of ".restitution",                                                                              \
     .type = QDI_KEY_REAL_OR_AUTO,                                                                           \
     .offset = in(material.restitution),                                                                     \
     .high = 1,                                                                                              \
     .about =                                                                                                \
         "As `contact.restitution`, of this surface; `auto`: as that. Of two surfaces the larger counts."},  \
        {.path = of ".friction",                                                                             \
         .type = QDI_KEY_REAL_OR_AUTO,                                                                       \
         .offset = in(material.friction),                                                                    \
         .high = (double)INFINITY,                                                                           \
         .about = "As `contact.friction`, of this surface; `auto`: as that. Of two surfaces the root of "    \
                  "the product counts."},                                                                    \
        {.path = of ".tangential_restitution",                                                               \
         .type = QDI_KEY_REAL_OR_AUTO,                                                                       \
         .offset = in(material.tangential),                                                                  \
         .high = 1,                                                                                          \
         .about = "As `contact.tangential_restitution`, of this surface; `auto`: as that. Of two surfaces "  \
                  "the larger counts."},                                                                     \
        {.path = of ".filter",                                                                               \
         .type = QDI_KEY_GROUP,                                                                              \
         .about =                                                                                            \
             "Whom it can touch: two bodies touch if each one's category has a bit of the other's mask."},   \
        {.path = of ".filter.category",                                                                      \
         .type = QDI_KEY_UINT32,                                                                             \
         .offset = in(filter.category),                                                                      \
         .high = UINT32_MAX,                                                                                 \
         .about = "A sum of 1, 2, 4, 8, ..."},                                                               \
        {.path = of ".filter.mask",                                                                          \
         .type = QDI_KEY_UINT32,                                                                             \
         .offset = in(filter.mask),                                                                          \
         .high = UINT32_MAX,                                                                                 \
         .about = "A sum of the same."},                                                                     \
    {                                                                                                        \
        .path = of ".filter.group", .type = QDI_KEY_INT, .offset = in(filter.group), .low = INT32_MIN,       \
        .high = INT32_MAX,                                                                                   \
        .about = "Bodies of one group > 0 always touch, of one group < 0 never, whatever the category; 0: "  \
                 "no group."                                                                                 \
    }

#endif
