// Keys of a scene: what is shown and kept of a run.
#include "sim/schema_keys.h"

#include <float.h>
#include <math.h>

/// The largest number of steps that a double counts exactly.
static const double most_steps = 0x1p53;

static const qdi_key keys[] = {
    {.path = "view", .type = QDI_KEY_GROUP, .about = "What a frame shows."},
    {.path = "view.size",
     .type = QDI_KEY_INT_PAIR,
     .offset = IN_SETTINGS(view.width),
     .low = 16,
     .high = 16384,
     .about = "Width and height of a frame in pixels. The world is letterboxed, never stretched."},
    {.path = "view.colour",
     .type = QDI_KEY_CHOICE,
     .offset = IN_SETTINGS(view.colour),
     .choices = "contact|speed|-size|-id|-depth|-thread",
     .about = "Of the bodies. `contact`: those that touch another stand out; `speed`: from still to fast."},
    {.path = "view.speed",
     .type = QDI_KEY_REAL_OR_AUTO,
     .offset = IN_SETTINGS(view.speed),
     .above = true,
     .high = DBL_MAX,
     .about = "Speed at the top of the colours of `speed`; `auto`: from the bodies of frame 0."},
    {.path = "view.nodes",
     .type = QDI_KEY_CHOICE,
     .offset = IN_SETTINGS(view.nodes),
     .choices = "none|depth|-occupancy|-changed",
     .about = "Outlines of the tree's nodes. `depth`: coloured by how deep they are."},
    {.path = "view.contacts",
     .type = QDI_KEY_BOOL,
     .offset = IN_SETTINGS(view.contacts),
     .about = "Points and normals of the contacts."},
    {.path = "view.text",
     .type = QDI_KEY_BOOL,
     .offset = IN_SETTINGS(view.text),
     .about = "Step, time and counts."},
    {.path = "frames", .type = QDI_KEY_GROUP, .about = "Pictures."},
    {.path = "frames.every",
     .type = QDI_KEY_UINT64,
     .offset = IN_SETTINGS(run.frames_every),
     .high = most_steps,
     .about = "A frame at step 0 and every so many steps; 0: none."},
    {.path = "record", .type = QDI_KEY_GROUP, .planned = true, .about = "What the run database keeps."},
    {.path = "checkpoint", .type = QDI_KEY_GROUP, .planned = true, .about = "From where a run can go on."},
};

qdi_schema_piece qdi_schema_output(void) {
    return (qdi_schema_piece){keys, sizeof keys / sizeof keys[0]};
}
