// The loops that draw trails, compiled once for each set of instructions: a source of its own defines LANES,
// draw_trail_lanes, which draws so many pixels, and TRAIL_PIECES, the function's name, and includes this.
//
// Most bodies go straight on for some frames, so pieces of the same level that follow each other are drawn as
// one line, a chord, where none of their ends is far from it. A pixel's distance from the pieces then differs
// from that to the chord by no more than the ends do; where that leaves a level open, which is in few pixels,
// the pieces themselves are drawn. So pixels are those of the pieces.
//
// Where lines may be seen is listed first, as windows of LANES pixels of a row, and many are drawn one after
// the other: how many a row has no processor foresees, and roots take it long.

// How many pieces are drawn as one line at most, how far it goes along an axis, how far their ends may be
// from it, and how much of a level that may be: with more, too many pixels are open. Where not even two
// pieces are one, so many are drawn before it is tried again.
enum { CHORD_PIECES = 16, CHORD_LONGEST = 48, CHORD_WAIT = 8 };
static const float chord_far = 0.03F, chord_slack = 0.05F;

// Distances are worked out to this part of the numbers' size, or better.
static const float rounding = 4e-6F;

// How many lines and windows are listed at most, and how many lines lie between two that are neighbours.
enum { LISTED_LINES = 256, LISTED_SPANS = LISTED_LINES + 1, LISTED_WINDOWS = 512, APART = 8 };

// Rows that are looked at together.
enum { ROWS = 16 };

// LANES pixels of a row, from (x, y) on, in which a line may be seen. A picture has up to 16384 a side.
typedef struct trail_window {
    uint32_t cell; // of the plane
    int16_t x, y;
} trail_window;

// A line's windows: from where those of the one before it end.
typedef struct trail_span {
    int line, end;
} trail_span;

// Lines and windows that are yet to be drawn.
typedef struct trail_list {
    const qdi_trail_plane *plane;
    float reach;
    float seen[QDI_LEVELS + 1]; // how far from a line pixels may show it, by its level
    size_t usual, single; // pieces that a line mostly had lately, and lines of one since longer ones failed
    int line_count, span_count, window_count;
    qdi_trail_line line[LISTED_LINES];
    const qdi_trail *pieces[LISTED_LINES]; // that a line stands for
    size_t piece_count[LISTED_LINES];
    trail_span span[LISTED_SPANS];
    trail_window window[LISTED_WINDOWS];
} trail_list;

// A line from one piece's start to another's end.
static inline qdi_trail_line line_of_trail(const qdi_trail *first, const qdi_trail *last, float reach) {
    const float along_x = last->x1 - first->x0, along_y = last->y1 - first->y0;
    return (qdi_trail_line){.x0 = first->x0,
                            .y0 = first->y0,
                            .along_x = along_x,
                            .along_y = along_y,
                            .square = qdi_larger(along_x * along_x + along_y * along_y, 1e-12F),
                            .reach = reach,
                            .level = (float)first->level,
                            .hue = first->hue};
}

// Draws a window as each of a line's pieces covers it.
static void draw_open_window(const trail_list *list, int number, trail_window window) {
    const qdi_trail *pieces = list->pieces[number];
    const float x = (float)window.x + 0.5F, y = (float)window.y + 0.5F, reach = list->reach;
    for (size_t i = 0; i < list->piece_count[number]; ++i) {
        const float y0 = pieces[i].y0, y1 = pieces[i].y1;
        if (qdi_smaller(y0, y1) - reach > y || qdi_larger(y0, y1) + reach < y) continue;
        const qdi_trail_line line = line_of_trail(&pieces[i], &pieces[i], reach);
        (void)draw_trail_lanes(list->plane->cells + window.cell, x, y, &line);
    }
}

// Draws what is listed.
static void draw_listed_windows(trail_list *list) {
    uint16_t *cells = list->plane->cells;
    int i = 0;
    for (int k = 0; k < list->span_count; ++k) {
        const trail_span span = list->span[k];
        const qdi_trail_line line = list->line[span.line];
        for (; i < span.end; ++i) {
            const trail_window window = list->window[i];
            if (!draw_trail_lanes(cells + window.cell, (float)window.x + 0.5F, (float)window.y + 0.5F, &line))
                draw_open_window(list, span.line, window);
        }
    }
    list->span_count = list->window_count = 0;
}

// Ends the windows of a line.
static inline void end_span(trail_list *list, int number) {
    list->span[list->span_count++] = (trail_span){number, list->window_count};
}

// Makes room for so many windows in the midst of a line.
static inline void make_room(trail_list *list, int number, int count) {
    if (list->window_count + count <= LISTED_WINDOWS) return;
    end_span(list, number);
    draw_listed_windows(list);
}

// Where the cells of a row begin, as if there were a pixel 0.
static inline uint32_t row_start(const qdi_trail_plane *plane, int y) {
    return (uint32_t)(y - plane->area.min_y) * (uint32_t)plane->stride - (uint32_t)plane->area.min_x;
}

// Lists a window at a place, and returns it.
static inline trail_window window_at(uint32_t row, int x, int y) {
    return (trail_window){row + (uint32_t)x, (int16_t)x, (int16_t)y};
}

// The pixels [begin, end) of some rows, the first of which is `y`, that a line may touch: those near the part
// of it that comes near the row. Without branches, for all ROWS, however many are needed.
static inline void find_row_ends(const qdi_trail_line *line, int y, float seen, const qdi_area *box,
                                 int32_t *restrict begin, int32_t *restrict end) {
    const float x0 = line->x0, along_x = line->along_x, top = (float)y + 0.5F - line->y0;
    const bool level = fabsf(line->along_y) < 0.0625F;
    const float part = level ? 0.0F : 1.0F / line->along_y, least = level ? 1.0F : 0.0F;
    const int min_x = box->min_x, max_x = box->max_x;
    for (int k = 0; k < ROWS; ++k) {
        const float py = top + (float)k, up = (py - seen) * part, down = (py + seen) * part;
        const float first = qdi_smaller(qdi_larger(qdi_smaller(up, down), 0.0F), 1.0F);
        const float last = qdi_smaller(qdi_larger(qdi_larger(up, down), least), 1.0F);
        const float a = x0 + first * along_x, b = x0 + last * along_x;
        const int left = qdi_floor_int(qdi_smaller(a, b) - seen + 0.5F),
                  right = qdi_floor_int(qdi_larger(a, b) + seen + 0.5F);
        begin[k] = qdi_smaller_int(qdi_larger_int(left, min_x), max_x);
        end[k] = qdi_smaller_int(right, max_x);
    }
}

// Lists the rows of a line that is wider than a window. Most have one window or two.
static inline void list_wide_rows(trail_list *list, int number, const qdi_area *box, float seen) {
    int32_t begin[ROWS], end[ROWS];
    for (int top = box->min_y; top < box->max_y; top += ROWS) {
        const int rows = qdi_smaller_int(box->max_y - top, ROWS);
        uint32_t row = row_start(list->plane, top);
        find_row_ends(&list->line[number], top, seen, box, begin, end);
        make_room(list, number, 2 * ROWS);
        for (int k = 0; k < rows; ++k, row += (uint32_t)list->plane->stride) {
            int x = begin[k];
            trail_window *window = list->window + list->window_count;
            window[0] = window_at(row, x, top + k);
            window[1] = window_at(row, x + LANES, top + k);
            __builtin_prefetch(list->plane->cells + window->cell, 1);
            __builtin_prefetch(list->plane->cells + row + (uint32_t)end[k], 1);
            list->window_count += (x < end[k]) + (x + LANES < end[k]);
            for (x += 2 * LANES; x < end[k]; x += LANES) {
                make_room(list, number, 2 * ROWS);
                list->window[list->window_count++] = window_at(row, x, top + k);
            }
        }
    }
}

// Lists the rows of a line that is no wider than a window.
static inline void list_narrow_rows(trail_list *list, int number, const qdi_area *box) {
    uint32_t row = row_start(list->plane, box->min_y);
    for (int y = box->min_y; y < box->max_y; ++y, row += (uint32_t)list->plane->stride) {
        make_room(list, number, 1);
        const trail_window window = window_at(row, box->min_x, y);
        list->window[list->window_count++] = window;
        __builtin_prefetch(list->plane->cells + window.cell, 1);
    }
}

// Lists the windows of a line: pixels whose centres are less than `seen` from its box.
static inline void list_line_windows(trail_list *list, int number) {
    const qdi_area *area = &list->plane->area;
    const qdi_trail *first = list->pieces[number], *last = first + list->piece_count[number] - 1;
    const float x0 = first->x0, y0 = first->y0, x1 = last->x1, y1 = last->y1, seen = list->seen[first->level];
    const float less = seen - 0.5F, more = seen + 0.5F;
    const qdi_area box = {
        qdi_larger_int(qdi_floor_int(qdi_smaller(x0, x1) - less), area->min_x),
        qdi_larger_int(qdi_floor_int(qdi_smaller(y0, y1) - less), area->min_y),
        qdi_smaller_int(qdi_floor_int(qdi_larger(x0, x1) + more), area->max_x),
        qdi_smaller_int(qdi_floor_int(qdi_larger(y0, y1) + more), area->max_y),
    };
    if (box.max_x - box.min_x > LANES)
        list_wide_rows(list, number, &box, seen);
    else if (box.min_x < box.max_x)
        list_narrow_rows(list, number, &box);
    end_span(list, number);
}

// Lists the windows of lines [first, line_count), those of one trail, and turns from line to line that are
// not neighbours: these share pixels, and a processor waits where it reads what it has just written. The
// pixels of a trail do not depend on their order.
static void list_trail_windows(trail_list *list, int first) {
    const int count = list->line_count - first, step = qdi_larger_int((count + APART - 1) / APART, 2);
    for (int from = 0; from < step; ++from)
        for (int i = from; i < count; i += step) list_line_windows(list, first + i);
}

// Lists a line that stands for `count` pieces.
static inline void list_line(trail_list *list, const qdi_trail_line *line, const qdi_trail *pieces,
                             size_t count) {
    list->line[list->line_count] = *line;
    list->pieces[list->line_count] = pieces;
    list->piece_count[list->line_count++] = count;
}

// How far a place is from a line, squared. `inverse` is 1 / line->square.
static inline float square_from_line(const qdi_trail_line *line, float inverse, float x, float y) {
    const float px = x - line->x0, py = y - line->y0;
    const float part = (px * line->along_x + py * line->along_y) * inverse;
    const float at = qdi_smaller(qdi_larger(part, 0.0F), 1.0F);
    const float dx = px - at * line->along_x, dy = py - at * line->along_y;
    return dx * dx + dy * dy;
}

// Whether a line may stand for pieces that follow each other, and with how much slack.
static inline bool make_chord(const qdi_trail *pieces, size_t count, qdi_trail_line *chord) {
    const float wide = fabsf(chord->along_x), high = fabsf(chord->along_y), inverse = 1.0F / chord->square;
    float most = 0.0F;
    for (size_t i = 1; i < count; ++i)
        most = qdi_larger(most, square_from_line(chord, inverse, pieces[i].x0, pieces[i].y0));
    const float far = sqrtf(most);
    chord->slack = chord->level * (far + rounding * (wide + high + 16.0F));
    return (far <= chord_far) & (chord->slack <= chord_slack) & (qdi_larger(wide, high) <= CHORD_LONGEST);
}

// Lists pieces that follow each other, in as few lines as are found from how many pieces had one lately.
static inline void list_run(trail_list *list, const qdi_trail *pieces, size_t count) {
    while (count > 0) {
        const size_t some = count < list->usual ? count : list->usual;
        qdi_trail_line line = line_of_trail(pieces, pieces + some - 1, list->reach);
        if (some > 1 && !make_chord(pieces, some, &line)) {
            list->usual = some / 2;
            list->single = 0;
            continue;
        }
        list_line(list, &line, pieces, some);
        if (some == list->usual && some < CHORD_PIECES && (some > 1 || ++list->single >= CHORD_WAIT))
            list->usual *= 2;
        pieces += some;
        count -= some;
    }
}

// True where a piece goes on where another ends.
static inline bool goes_on(const qdi_trail *piece, const qdi_trail *next) {
    return (piece->x1 == next->x0) & (piece->y1 == next->y0) & (piece->hue == next->hue);
}

// Lists the trail that begins with a piece, or its first part, and returns how many pieces that has.
static size_t list_trail(trail_list *list, const qdi_trail *trails, size_t count) {
    const int first = list->line_count;
    size_t all = 0;
    bool on = true;
    while (on && list->line_count <= LISTED_LINES - CHORD_PIECES) {
        size_t run = 1;
        while ((on = all + run < count && goes_on(&trails[all + run - 1], &trails[all + run])) &&
               run < CHORD_PIECES && trails[all + run].level == trails[all].level)
            ++run;
        list_run(list, trails + all, run);
        all += run;
    }
    list_trail_windows(list, first);
    return all;
}

// Draws all lines. A pixel of which a line covers less than half a level stays as it is, so the fainter a
// line is the narrower: by a little less, for what is rounded, and for chords.
void TRAIL_PIECES(const qdi_trail_plane *plane, const qdi_trail *trails, size_t count, float width) {
    trail_list list; // large, and nothing of it is read before it is written
    list.plane = plane;
    list.reach = 0.5F * width + 0.5F;
    list.line_count = list.span_count = list.window_count = 0;
    list.seen[0] = 0.0F;
    for (int level = 1; level <= QDI_LEVELS; ++level)
        list.seen[level] = list.reach - 0.5F / (float)level + 0.0625F;
    list.usual = CHORD_PIECES;
    list.single = 0;
    for (size_t i = 0; i < count;) {
        i += list_trail(&list, trails + i, count - i);
        if (list.line_count <= LISTED_LINES / 2 && list.window_count <= LISTED_WINDOWS / 4) continue;
        draw_listed_windows(&list);
        list.line_count = 0;
    }
    draw_listed_windows(&list);
}
