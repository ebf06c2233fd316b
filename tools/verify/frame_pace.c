#include "tools/verify/frame_pace.h"

#include <math.h>

/// Times that differ by less than this part of the pace's interval are the same: they are products of step
/// and dt, rounded.
static const double same = 1e-6;

/// The time of a run's first frame.
static double first_time(const qdi_frame_list *list) {
    return list->entries[0].time;
}

/// The time of a run's last frame.
static double last_time(const qdi_frame_list *list) {
    return list->entries[list->count - 1].time;
}

/// Pace of verified frames: the mean time between frames; of a single one none.
static double interval_of(const qdi_frame_list *list) {
    return list->count > 1 ? (last_time(list) - first_time(list)) / (double)(list->count - 1)
                           : (double)INFINITY;
}

/// The closest frames lead; among equals the run that goes on for longest.
static bool leads(const qdi_frame_list *one, const qdi_frame_list *other) {
    double mine = interval_of(one), theirs = interval_of(other);
    if (mine < theirs * (1 - same)) return true;
    return mine < theirs * (1 + same) && last_time(one) > last_time(other);
}

/// Pace of verified frames: how many intervals it takes to cover `time`.
static double intervals_in(const qdi_frame_pace *pace, double time) {
    return pace->interval > 0 && time > 0 ? ceil(time / pace->interval - same) : 0;
}

qd_status qdi_frame_pace_find(const qdi_frame_list *const *lists, size_t count, qdi_frame_pace *pace) {
    const qdi_frame_list *leader = lists[0];
    double first = first_time(leader), last = last_time(leader);
    for (size_t i = 1; i < count; ++i) {
        if (leads(lists[i], leader)) leader = lists[i];
        if (first_time(lists[i]) < first) first = first_time(lists[i]);
        if (last_time(lists[i]) > last) last = last_time(lists[i]);
    }
    *pace = (qdi_frame_pace){.leader = leader, .interval = leader->count > 1 ? interval_of(leader) : 0};
    double lead = intervals_in(pace, first_time(leader) - first);
    double tail = intervals_in(pace, last - last_time(leader));
    if (!(lead + tail + (double)leader->count <= QDI_FRAME_PACE_MOST)) return QD_ERR_VALUE;
    pace->lead = (size_t)lead;
    pace->count = (size_t)lead + leader->count + (size_t)tail;
    return QD_OK;
}

/// Pace of verified frames: the time of a picture.
static double time_of(const qdi_frame_pace *pace, size_t picture) {
    const qdi_frame_list *leader = pace->leader;
    if (picture < pace->lead) return first_time(leader) - (double)(pace->lead - picture) * pace->interval;
    size_t place = picture - pace->lead;
    if (place < leader->count) return leader->entries[place].time;
    return last_time(leader) + (double)(place - leader->count + 1) * pace->interval;
}

size_t qdi_frame_pace_place(const qdi_frame_pace *pace, const qdi_frame_list *list, size_t picture) {
    double time = time_of(pace, picture) + same * pace->interval;
    size_t low = 0, high = list->count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (list->entries[middle].time <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

bool qdi_frame_pace_is_over(const qdi_frame_pace *pace, const qdi_frame_list *list, size_t picture) {
    return time_of(pace, picture) > last_time(list) + same * pace->interval;
}
