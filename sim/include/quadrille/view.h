#ifndef QUADRILLE_VIEW_H
#define QUADRILLE_VIEW_H

#include <quadrille/api.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// What a frame shows and from where, as the scene's `view:` says. Plain data; the pictures are made
/// elsewhere.

/// What the colour of a body tells.
typedef enum qd_view_colour {
    QD_VIEW_CONTACT,  ///< bodies with a contact stand out
    QD_VIEW_SPEED,    ///< from still to fast along a continuous map
    QD_VIEW_SIZE,     ///< radius; of others than disks the largest distance of a point from the centroid
    QD_VIEW_SPIN,     ///< how fast it turns, either way round
    QD_VIEW_DEPTH,    ///< of the tree's node that it lives in
    QD_VIEW_ID,       ///< its label: neighbours in the input differ
    QD_VIEW_MATERIAL, ///< what it is made of
    QD_VIEW_PLAIN,    ///< nothing: all the same
    QD_VIEW_THREAD, ///< the thread that moved it in the last step, where qd_world_note_threads asked for that
    QD_VIEW_REFILED, ///< how many frames ago it came into the tree's node that it lives in
    QD_VIEW_HIDDEN,  ///< bodies are not drawn
    QD_VIEW_PSI6,    ///< size of its hexatic order, with QD_HEXATIC_REACH; 0 where that cannot be measured
} qd_view_colour;

/// True where colours lie along a continuous map.
static inline bool qd_view_is_continuous(qd_view_colour colour) {
    return (colour >= QD_VIEW_SPEED && colour <= QD_VIEW_DEPTH) || colour == QD_VIEW_PSI6;
}

/// The continuous map.
typedef enum qd_view_map {
    QD_VIEW_VIRIDIS,
    QD_VIEW_MAGMA,
    QD_VIEW_CIVIDIS,
} qd_view_map;

/// The ground that everything lies on.
typedef enum qd_view_theme {
    QD_VIEW_DARK,
    QD_VIEW_LIGHT,
} qd_view_theme;

/// How the tree's nodes are drawn.
typedef enum qd_view_nodes {
    QD_VIEW_NODES_NONE,
    QD_VIEW_NODES_DEPTH,     ///< outlines, coloured by depth
    QD_VIEW_NODES_OCCUPANCY, ///< outlines, coloured by how full a node's own list is
    QD_VIEW_NODES_CHANGED,   ///< outlines; those that the step to this moment split or merged stand out
} qd_view_nodes;

/// How contacts are drawn.
typedef enum qd_view_contacts {
    QD_VIEW_CONTACTS_NONE,
    QD_VIEW_CONTACTS_MARKS,   ///< points and normals
    QD_VIEW_CONTACTS_IMPULSE, ///< points, and normals as long as the impulse is large
} qd_view_contacts;

/// What stands below a frame, as bits; in this order, whatever order they are asked for in.
typedef enum qd_view_text {
    QD_VIEW_TEXT_STEP = 1 << 0,
    QD_VIEW_TEXT_TIME = 1 << 1,
    QD_VIEW_TEXT_BODIES = 1 << 2,
    QD_VIEW_TEXT_CONTACTS = 1 << 3,
    QD_VIEW_TEXT_NODES = 1 << 4,
    QD_VIEW_TEXT_CANDIDATES = 1 << 5, ///< pairs per body whose shapes the last step looked at
    QD_VIEW_TEXT_TESTS = 1 << 6,      ///< comparisons of two boxes in the last step
    QD_VIEW_TEXT_RATE = 1 << 7,   ///< steps per second since the frame before: a clock's, other in each run
    QD_VIEW_TEXT_COST = 1 << 8,   ///< nanoseconds per body and step, likewise
    QD_VIEW_TEXT_LEGEND = 1 << 9, ///< what colours mean, and what searches found
    QD_VIEW_TEXT_SCALE = 1 << 10, ///< a length
    QD_VIEW_TEXT_STAGE = 1 << 11, ///< the run's stage, where it has some
    QD_VIEW_TEXT_DEFAULT = QD_VIEW_TEXT_STEP | QD_VIEW_TEXT_TIME | QD_VIEW_TEXT_BODIES |
                           QD_VIEW_TEXT_CONTACTS | QD_VIEW_TEXT_NODES | QD_VIEW_TEXT_LEGEND |
                           QD_VIEW_TEXT_SCALE | QD_VIEW_TEXT_STAGE,
} qd_view_text;

/// What is drawn cell by cell below the bodies, see <quadrille/field.h>.
typedef enum qd_view_field {
    QD_VIEW_FIELD_NONE,
    QD_VIEW_FIELD_NUMBER_DENSITY,
    QD_VIEW_FIELD_MASS_DENSITY,
    QD_VIEW_FIELD_AREA_FRACTION,
    QD_VIEW_FIELD_VELOCITY, ///< its magnitude as colour, and an arrow in each cell
    QD_VIEW_FIELD_TEMPERATURE,
    QD_VIEW_FIELD_PRESSURE, ///< kinetic and of contacts; the step before has to be watched
    QD_VIEW_FIELD_CONTACT_NUMBER,
} qd_view_field;

/// In place of a body's label.
#define QD_VIEW_NOBODY UINT64_MAX
#define QD_VIEW_MASS   (UINT64_MAX - 1) ///< the centre of mass

/// What the camera shows at some time.
typedef struct qd_view_key {
    double time;
    double x, y; ///< middle of what is seen
    double zoom; ///< as qd_view_camera.zoom
} qd_view_key;

/// Most keys of a camera's path.
#define QD_VIEW_KEYS_MAX 32

/// From where a frame is seen: a function of these and of the world's state alone. What is asked for is seen
/// whole, in the middle of the picture, never stretched.
typedef struct qd_view_camera {
    double x, y, width, height; ///< a part of the world; NaN: all of it
    qd_vec2 centre;             ///< the middle of what is seen; NaN: that of the part
    double zoom;                ///< > 0; the part is seen so many times larger; default 1
    uint64_t follow; ///< a body's label, QD_VIEW_MASS or QD_VIEW_NOBODY: the middle, wherever it goes
    /// A path in time, at most QD_VIEW_KEYS_MAX keys with times that rise; between keys smoothly without
    /// overshooting, before the first and after the last as there. Where there are some, `centre` and `zoom`
    /// do not count.
    qd_view_key keys[QD_VIEW_KEYS_MAX];
    int key_count;
} qd_view_camera;

/// Most frames that trails go back.
#define QD_VIEW_TRAILS_MAX 1000

/// Most frames that the colours of QD_VIEW_REFILED take to fade.
#define QD_VIEW_FADE_MAX 1000

/// What a frame shows.
typedef struct qd_view {
    int width, height; ///< pixels, 16..16384 each; default 1280 x 768
    qd_view_colour colour;
    qd_view_map map;
    qd_view_theme theme;
    qd_vec2 range; ///< ends of the colour map, x < y; NaN (`auto`): from 0 to `speed`
    double speed;  ///< top of the colour map, > 0, where `range` is auto; NaN (`auto`): fixed at frame 0 from
                   ///< the bodies
    int fade;      ///< QD_VIEW_REFILED: frames until a body has faded, 1..QD_VIEW_FADE_MAX; default 8
    qd_view_field field;
    qd_vec2 field_range; ///< ends of its colours, x < y; NaN (`auto`): from 0 to the largest value of the
                         ///< frame, rounded up to 1, 2 or 5 times a power of ten
    double field_length; ///< about how long the side of a cell is, > 0; NaN (`auto`): as `record.fields`
    int field_cells[2];  ///< what a scene makes of it: cells side by side and above each other; default 32 x
                         ///< 32
    qd_view_nodes nodes;
    qd_view_contacts contacts;
    int trails;        ///< frames back that a body's way is drawn, 0..QD_VIEW_TRAILS_MAX; default 0
    uint64_t retrieve; ///< label of the body whose retrieve is shown; QD_VIEW_NOBODY: none
    /// A rectangle that the tree is asked for: the part that a camera like this shows. What is in it keeps
    /// its colour, all else is dim. Without a part (NaN): none.
    qd_view_camera query;
    uint32_t text;      ///< of qd_view_text; 0: none, and the world has the whole picture
    bool title;         ///< the scene's name, where there is text
    const char *stages; ///< names of the run's stages for the text, each ended by a line feed, in the order
                        ///< of their numbers (qd_world_stage); NULL: none. Must outlive what draws with it
    qd_view_camera camera;
} qd_view;

/// 1280 x 768, contact, viridis, dark, auto, auto, 8 frames, no field, depth, marks, no trails, nobody, no
/// query, the default text, no title, all of the world.
QD_API qd_view qd_view_default(void);

QD_END_DECLS

#endif
