#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a run is going to write, from what its first moment took.
typedef struct qdi_forecast {
    uint64_t frames, frame_bytes; ///< still to come, and each
    uint64_t snapshots, snapshot_bytes;
    uint64_t checkpoints, checkpoint_bytes; ///< that are there at a time
    uint64_t rows;                          ///< of metrics, hashes and frames
    bool events;                            ///< are recorded too: how many, nobody knows
    uint64_t free;                          ///< bytes on the file system, UINT64_MAX where that is not known
} qdi_forecast;

/// Bytes in all, events aside; UINT64_MAX where that is not even a number.
uint64_t qdi_forecast_total(const qdi_forecast *forecast);

/// False where more is going to be written than there is room for.
bool qdi_forecast_fits(const qdi_forecast *forecast);

/// One line for people: "about 14 MB (601 frames 12 MB, ...), 34 GB free".
void qdi_forecast_words(const qdi_forecast *forecast, char *text, size_t bytes);
