// Keys of a scene: what is shown and kept of a run.
#include "sim/scene/schema_keys.h"

#include <float.h>
#include <quadrille/distribution.h>
#include <quadrille/field.h>

/// The largest number of steps that a double counts exactly.
static const double most_steps = 0x1p53;

static const qdi_key keys[] = {
    GROUP_KEY("view", "What a frame shows."),
    KEY("view.size", INT_PAIR, IN_SETTINGS(view.width), 16, 16384,
        "Width and height of a frame in pixels. The world is letterboxed, never stretched."),
    CHOICE_KEY(
        "view.colour", IN_SETTINGS(view.colour),
        "contact|speed|size|spin|depth|id|material|plain|thread|refiled|hidden|psi6",
        "What the bodies' colours tell. `contact`: those that touch another stand out; `speed`, `size` "
        "(radius), `spin` (either way round), `depth` (of the tree's node that holds the body) and `psi6` "
        "(hexatic order, from 0 to 1: how well a body's neighbours stand at the corners of a hexagon): along "
        "`map`; `id`, `material`: one of seven colours; `plain`: nothing; `thread`: which thread moved it, "
        "one of seven colours, and not the same from run to run; `refiled`: those that came into another "
        "node of the tree since the frame before light up, and fade. Static bodies are grey. `hidden`: "
        "bodies are not drawn."),
    CHOICE_KEY("view.map", IN_SETTINGS(view.map), "viridis|magma|cividis",
               "The continuous map, from its dark end up (with `theme: light` from its light end down)."),
    CHOICE_KEY("view.theme", IN_SETTINGS(view.theme), "dark|light", "The ground that everything lies on."),
    KEY("view.range", RANGE_OR_AUTO, IN_SETTINGS(view.range), -DBL_MAX, DBL_MAX,
        "What the ends of the map stand for; `auto`: from 0 to `speed`."),
    KEY("view.speed", REAL_OR_AUTO, IN_SETTINGS(view.speed), 0, DBL_MAX,
        "With `range: auto`: what the top of the map stands for, be it a speed or not; `auto`: from the "
        "bodies of frame 0 (of the first frame of a stage that changes `colour`, `range` or `speed`) and, "
        "for speeds, from how fast gravity will make them.",
        .above = true),
    KEY("view.fade", INT, IN_SETTINGS(view.fade), 1, QD_VIEW_FADE_MAX,
        "With `colour: refiled`: how many frames a body takes to fade."),
    CHOICE_KEY("view.field", IN_SETTINGS(view.field),
               "none|number_density|mass_density|area_fraction|velocity|temperature|pressure|contact_number",
               "What is measured cell by cell (see fields.md) and drawn below the bodies, along `map`. "
               "`velocity`: how fast, and where to as arrows; `pressure`: kinetic and of contacts. Cells "
               "that have none stay empty. Not with `colour: refiled`."),
    KEY("view.field_range", RANGE_OR_AUTO, IN_SETTINGS(view.field_range), -DBL_MAX, DBL_MAX,
        "What the ends of the field's colours stand for; `auto`: from 0 to the largest value of the frame, "
        "rounded up to 1, 2 or 5 times a power of ten, so that it may change from frame to frame."),
    KEY("view.field_length", REAL_OR_AUTO, IN_SETTINGS(view.field_length), 0, DBL_MAX,
        "About how long the side of a field's cell is; `auto`: the cells are those of `record.fields`.",
        .above = true),
    CHOICE_KEY(
        "view.nodes", IN_SETTINGS(view.nodes), "none|depth|occupancy|changed",
        "Outlines of the tree's nodes. `depth`: coloured by how deep they are; `occupancy`: by how full "
        "their lists are; `changed`: those that were split or merged in the step to this frame stand out."),
    CHOICE_KEY(
        "view.contacts", IN_SETTINGS(view.contacts), "false|true|impulse",
        "Points and normals of the contacts. `impulse`: normals are the longer the larger the impulse."),
    KEY("view.trails", INT, IN_SETTINGS(view.trails), 0, QD_VIEW_TRAILS_MAX,
        "How many frames back the way of each body's centre is drawn, fading with age; 0: none. At most "
        "2097152 places are kept, bodies times frames."),
    FREE_KEY("view.retrieve", LABEL, IN_SETTINGS(view.retrieve),
             "A body's id: what its retrieve asked the tree for, which nodes it looked at, which bodies "
             "overlap its box and which of them it touches.",
             .choices = "none"),
    GROUP_KEY("view.query",
              "A rectangle that the tree is asked for: what has a point in it keeps its colour, "
              "all else is dim; the nodes that were looked at are outlined."),
    KEY("view.query.region", REGION_OR_AUTO, IN_SETTINGS(view.query.x), -1e30, 1e30,
        "The rectangle; `auto`: none."),
    FREE_KEY(
        "view.query.follow", LABEL, IN_SETTINGS(view.query.follow),
        "A body's id, or the centre of `mass`: the rectangle's middle goes where it goes. Where the body "
        "is gone, as without.",
        .choices = "none|mass"),
    KEY("view.query.path", CAMERA_PATH, IN_SETTINGS(view.query), -1e30, 1e30,
        "Keyframes [time, x, y, zoom] of the rectangle's middle, and how many times smaller it is than "
        "`region`: smoothly from one to the next, as `view.camera.path`."),
    KEY("view.text", WORDS, IN_SETTINGS(view.text), 0, QD_VIEW_TEXT_DEFAULT,
        "What stands below the picture. `true`: step, time, bodies, contacts, nodes, legend and scale, of a "
        "run with stages its stage; "
        "`false`: "
        "nothing. `candidates` are pairs per body that the last step looked at closely, `tests` comparisons "
        "of "
        "two boxes that it made to find them. `rate` (steps per second) and `cost` (nanoseconds per body and "
        "step) are a clock's: such pictures are not the same from run to run.",
        .choices = "step|time|bodies|contacts|nodes|candidates|tests|rate|cost|legend|scale|stage"),
    FREE_KEY("view.title", BOOL, IN_SETTINGS(view.title), "The scene's name before the text."),
    GROUP_KEY("view.camera",
              "From where the world is seen. Of a periodic world the images fill the picture."),
    KEY("view.camera.region", REGION_OR_AUTO, IN_SETTINGS(view.camera.x), -1e30, 1e30,
        "The part of the world that is seen whole; what lies beside it fills the rest of the picture. "
        "`auto`: all."),
    KEY("view.camera.centre", PAIR_OR_AUTO, IN_SETTINGS(view.camera.centre), -1e30, 1e30,
        "The middle of what is seen; `auto`: that of the region."),
    KEY("view.camera.zoom", REAL, IN_SETTINGS(view.camera.zoom), 0, 1e6,
        "How many times larger the region is seen than fits.", .above = true),
    FREE_KEY("view.camera.follow", LABEL, IN_SETTINGS(view.camera.follow),
             "A body's id, or the centre of `mass`: it is the middle of what is seen, wherever it goes. "
             "Where the body is gone, as without.",
             .choices = "none|mass"),
    KEY("view.camera.path", CAMERA_PATH, IN_SETTINGS(view.camera), -1e30, 1e30,
        "Keyframes [time, x, y, zoom] instead of `centre` and `zoom`: centre and zoom go smoothly from one "
        "to the next, never past either."),
    GROUP_KEY("frames", "Pictures."),
    KEY("frames.every", UINT64, IN_SETTINGS(run.frames_every), 0, most_steps,
        "A frame at step 0 and at each step that is a multiple of this; 0: none."),
    FREE_KEY("frames.files", BOOL, IN_SETTINGS(run.frames_files),
             "Each frame as a PNG file. `false`: only as a part of the video (see video.md)."),
    GROUP_KEY("video", "How `--video` makes a video of the frames (see video.md)."),
    KEY("video.fps", REAL, IN_SETTINGS(video.fps), 0, QD_VIDEO_FPS_MAX, "Frames that are shown in a second.",
        .above = true),
    KEY("video.crf", INT, IN_SETTINGS(video.crf), 0, QD_VIDEO_CRF_MAX,
        "How much may be lost: 0 (nothing but fine colour) to 51."),
    CHOICE_KEY("video.preset", IN_SETTINGS(video.preset),
               "ultrafast|superfast|veryfast|faster|fast|medium|slow|slower|veryslow",
               "How much work the encoder takes upon itself for a smaller file."),
    GROUP_KEY("record", "What the run database keeps (see run-store.md). No result depends on it."),
    KEY("record.metrics", UINT64, IN_SETTINGS(run.record_metrics), 0, most_steps,
        "Metrics at step 0 and every so many steps; 0: none."),
    KEY("record.hashes", UINT64, IN_SETTINGS(run.record_hashes), 0, most_steps,
        "The state's hash at step 0 and every so many steps, and at the last; 0: none."),
    CHOICE_KEY("record.events", IN_SETTINGS(run.record_events), "false|true|persist",
               "Of every step. `true`: contacts that begin or end, and impacts; `persist`: all others too."),
    KEY("record.snapshots", UINT64, IN_SETTINGS(run.record_snapshots), 0, most_steps,
        "The whole world at step 0 and every so many steps; 0: none."),
    FREE_KEY("record.structure", BOOL, IN_SETTINGS(run.record_structure),
             "Among the metrics, mean squared displacement and hexatic order (see fields.md). In a stage: of "
             "displacements since it began, or since the first of the stages before it that say so."),
    GROUP_KEY("record.fields", "Densities, velocities and stresses cell by cell (see fields.md)."),
    KEY("record.fields.every", UINT64, IN_SETTINGS(run.record_fields), 0, most_steps,
        "Fields at step 0 and every so many steps; 0: none."),
    KEY("record.fields.sample", UINT64, IN_SETTINGS(run.field_sample), 0, most_steps,
        "Each row but that of step 0 is the mean over the moments since the row before, so many steps apart; "
        "0: a "
        "row is one moment. `every` is a multiple of it."),
    KEY("record.fields.cells", INT_PAIR, IN_SETTINGS(run.field_cells), 1, QD_FIELD_SIDE_MAX,
        "How many cells lie side by side, and one above the other; at most 32000 in all."),
    KEY("record.fields.length", REAL_OR_AUTO, IN_SETTINGS(run.field_length), 0, DBL_MAX,
        "About how long the side of a cell is, instead of `cells`: as many whole cells as come next to it.",
        .above = true),
    GROUP_KEY("record.distributions",
              "The radial distribution of pairs, g(r), and the distributions of velocities (see fields.md)."),
    KEY("record.distributions.every", UINT64, IN_SETTINGS(run.record_distributions), 0, most_steps,
        "Distributions at step 0 and every so many steps; 0: none."),
    KEY("record.distributions.sample", UINT64, IN_SETTINGS(run.distribution_sample), 0, most_steps,
        "As `record.fields.sample`: rows are means over moments so many steps apart."),
    KEY("record.distributions.bins", INT, IN_SETTINGS(run.distribution_bins), 1, QD_DISTRIBUTION_BINS_MAX,
        "How many values each has."),
    KEY("record.distributions.reach", REAL_OR_AUTO, IN_SETTINGS(run.distribution_reach), 0, 1e30,
        "The longest distance of g(r); `auto`: ten times the radius of a disk of the bodies' mean area.",
        .above = true),
    KEY("record.distributions.speed", REAL_OR_AUTO, IN_SETTINGS(run.distribution_speed), 0, 1e30,
        "The highest speed; `auto`: five times the root of half the mean square of the velocities.",
        .above = true),
    GROUP_KEY("checkpoint", "From where a run can go on. There is one at step 0 and one at the end in any "
                            "case. No result depends on them."),
    KEY("checkpoint.every", UINT64, IN_SETTINGS(run.checkpoint_every), 0, most_steps,
        "One every so many steps; 0: by the clock only."),
    KEY("checkpoint.seconds", REAL, IN_SETTINGS(run.checkpoint_seconds), 0, 1e9,
        "One whenever so many seconds have passed since the last; 0: by steps only."),
    KEY("checkpoint.keep", UINT64, IN_SETTINGS(run.checkpoint_keep), 1, 1e6,
        "How many stay, the latest, beside that of step 0."),
};

// Scene keys of frames, records and the view.
qdi_schema_piece qdi_schema_output(void) {
    return (qdi_schema_piece){keys, sizeof keys / sizeof keys[0]};
}
