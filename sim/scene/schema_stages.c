// Keys of a scene: the stages of a run.
#include "sim/scene/schema_shared.h"

#include <math.h>

/// The largest number of steps that a double counts exactly.
static const double most_steps = 0x1p53;

/// In the bodies that an item picks.
#define IN_PICK(member)        offsetof(qdi_pick, member)
#define IN_CHANGE_PICK(member) offsetof(qdi_body_change, pick.member)

/// Which bodies. `in`: the macro that says where a member of the pick lies.
#define PICK_KEYS(of, in)                                                                                    \
    FREE_KEY(of ".item", NAME, in(item), "Those of all items of `bodies` and `add` with this `name`.",       \
             .otherwise = "any"),                                                                            \
        KEY(of ".id", UINT64, in(id), 1, (double)INFINITY, "The one with this id.", .otherwise = "any"),     \
        KEY(of ".ids", RANGE_OR_AUTO, in(ids), 1, most_steps, "Those with ids from the first to the last.",  \
            .otherwise = "any"),                                                                             \
        KEY(of ".region", REGION_OR_AUTO, in(region), -1e30, 1e30,                                           \
            "Those with their centre in it: x and y of the lower left corner, width, height.",               \
            .otherwise = "anywhere")

static const qdi_key keys[] = {
    {.path = "stages",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "A list of the stages that a run goes through one after the other (see stages.md). Beside the "
              "keys below an item may have those of `world`, `contact`, `emitters`, `sinks`, `record`, "
              "`frames` and `view` that are to change when it begins; they stay so until a later stage "
              "changes them."},
    GROUP_KEY("stages[]", "A stage: its end, and what changes when it begins."),
    FREE_KEY("stages[].name", NAME, IN_STAGE(name), "What it is called; no two have the same name.",
             .required = true),
    KEY("stages[].steps", UINT64, IN_STAGE(steps), 0, most_steps,
        "How many steps it lasts. The last stage may leave this and the next two out: it lasts until "
        "`run.steps` are done.",
        .otherwise = "up to the end"),
    KEY("stages[].time", REAL_OR_AUTO, IN_STAGE(time), 0, QDI_FURTHEST,
        "How long it lasts, instead of `steps`: until the first step by whose end so much time has passed.",
        .above = true, .otherwise = "`steps` says"),
    {.path = "stages[].until",
     .type = QDI_KEY_ITEMS,
     .like = "run.until",
     .otherwise = "`[]`",
     .about = "A list of rules as in `run.until`; any of them ends the stage. They look at its states only."},
    KEY("stages[].at_most", UINT64, IN_STAGE(at_most), 1, most_steps,
        "With `until`: the steps after which the stage ends even so.", .otherwise = "required with `until`"),
    {.path = "stages[].remove",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "A list; each item picks bodies that are removed when the stage begins: a gate."},
    GROUP_KEY("stages[].remove[]", "Bodies for which all that is said holds."),
    PICK_KEYS("stages[].remove[]", IN_PICK),
    {.path = "stages[].change",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "A list; each item picks bodies that change when the stage begins: a lid that falls."},
    GROUP_KEY("stages[].change[]", "Bodies for which all that is said holds, and what becomes of them."),
    PICK_KEYS("stages[].change[]", IN_CHANGE_PICK),
    CHOICE_KEY("stages[].change[].kind", IN_CHANGE(kind), "same|dynamic|static|kinematic",
               "What moves it: forces and contacts, nothing, or its own velocity."),
    ANY_KEY("stages[].change[].velocity", PAIR_OR_AUTO, IN_CHANGE(velocity), "`auto`: as it is."),
    ANY_KEY("stages[].change[].spin", REAL_OR_AUTO, IN_CHANGE(spin), "The same."),
    KEY("stages[].change[].density", REAL_OR_AUTO, IN_CHANGE(density), 0, QDI_FURTHEST,
        "Mass per area; `auto`: as it is, and of what was not dynamic as its material has it, or 1.",
        .above = true),
    FREE_KEY("stages[].change[].material", MATERIAL, IN_CHANGE(material),
             "What its surface is made of from now on; `none`: what it was.", .otherwise = "`none`"),
    {.path = "stages[].add",
     .type = QDI_KEY_ITEMS,
     .like = "bodies",
     .otherwise = "`[]`",
     .about = "A list as `bodies`, without files and runs: bodies that are added when the stage begins. "
              "Generators keep clear of what is there."},
};

// Scene keys of stages.
qdi_schema_piece qdi_schema_stages(void) {
    return (qdi_schema_piece){keys, sizeof keys / sizeof keys[0]};
}
