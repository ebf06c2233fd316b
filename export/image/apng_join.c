#include "export/image/apng.h"
#include "export/image/png_chunk.h"
#include "sim/files/os.h"

#include <stdio.h>
#include <string.h>

/// Writes what is wrong with an animation's file.
static qd_status refuse_apng_part(qd_status status, const char *part, const char *why, qd_error *error) {
    if (error && status != QD_ERR_MEMORY)
        (void)snprintf(error->text, sizeof error->text, "%.400s %s", part, why);
    return status;
}

/// Opens an animation's file and checks its signature.
static qd_status open_apng_part(const char *part, FILE **file, qd_error *error) {
    unsigned char signature[QDI_PNG_SIGNATURE];
    if (qdi_os_open(part, QDI_OS_OWN, file, NULL) != QD_OK)
        return refuse_apng_part(QD_ERR_IO, part, "cannot be read", error);
    if (fread(signature, 1, sizeof signature, *file) == sizeof signature &&
        memcmp(signature, qdi_png_signature, sizeof signature) == 0)
        return QD_OK;
    (void)fclose(*file);
    *file = NULL;
    return refuse_apng_part(QD_ERR_CORRUPT, part, "is no PNG file", error);
}

qd_status qdi_apng_count(const qd_allocator *allocator, const char *path, uint64_t *frames, qd_error *error) {
    FILE *file = NULL;
    *frames = 0;
    qd_status status = open_apng_part(path, &file, error);
    if (status != QD_OK) return status;
    qdi_bytes chunk = {0};
    size_t size = 0;
    do {
        status = qdi_png_chunk_read(allocator, file, &chunk, &size);
        if (status == QD_OK && qdi_png_is(chunk.data, "fcTL")) *frames += 1;
    } while (status == QD_OK && !qdi_png_is(chunk.data, "IEND"));
    if (status == QD_OK && fgetc(file) != EOF) status = QD_ERR_CORRUPT;
    if (status != QD_OK) status = refuse_apng_part(status, path, "is damaged or cut short", error);
    qdi_bytes_release(allocator, &chunk);
    (void)fclose(file);
    return status;
}

/// Writes bytes to the joined animation.
static qd_status write_joined_bytes(const qdi_apng_joint *joint, const void *data, size_t bytes,
                                    qd_error *error) {
    return qdi_file_write(joint->file, joint->path, data, bytes, error);
}

/// Joined APNGs: copies a chunk as it is.
static qd_status copy_chunk(const qdi_apng_joint *joint, qd_error *error) {
    return write_joined_bytes(joint, joint->chunk.data, joint->chunk.size, error);
}

qd_status qdi_apng_join_begin(const qd_allocator *allocator, const char *path, uint64_t frames,
                              qdi_apng_joint *joint, qd_error *error) {
    *joint = (qdi_apng_joint){.allocator = allocator, .file = QDI_FILE_NONE, .frames = (uint32_t)frames};
    if (frames > QDI_APNG_FRAMES)
        return refuse_apng_part(QD_ERR_VALUE, path, "would have more frames than an animated PNG can number",
                                error);
    (void)snprintf(joint->path, sizeof joint->path, "%s", path);
    qd_status status = qdi_file_create(path, &joint->file, error);
    if (status == QD_OK) status = write_joined_bytes(joint, qdi_png_signature, QDI_PNG_SIGNATURE, error);
    if (status != QD_OK) qdi_apng_join_discard(joint);
    return status;
}

/// Joined APNGs: takes IHDR, PLTE and tRNS of the first file, and compares those of the others.
/// These say what all frames have in common: the first file's are taken over, and the others' must be
/// the same. `seen` counts the bytes of them that this file has shown.
static qd_status take_or_compare_head(qdi_apng_joint *joint, bool first, size_t *seen, qd_error *error) {
    const qdi_bytes *chunk = &joint->chunk;
    if (!first) {
        bool same = *seen + chunk->size <= joint->head.size &&
                    memcmp(joint->head.data + *seen, chunk->data, chunk->size) == 0;
        *seen += chunk->size;
        return same ? QD_OK : QD_ERR_CORRUPT;
    }
    qd_status status = qdi_bytes_reserve(joint->allocator, &joint->head, chunk->size);
    if (status != QD_OK) return status;
    memcpy(joint->head.data + joint->head.size, chunk->data, chunk->size);
    joint->head.size += chunk->size;
    *seen += chunk->size;
    return copy_chunk(joint, error);
}

/// Joined APNGs: writes acTL, with the number of all frames.
static qd_status put_joined_control(qdi_apng_joint *joint, qd_error *error) {
    unsigned char *data = joint->chunk.data;
    qdi_png_put32(data + QDI_PNG_CHUNK_HEAD, joint->frames);
    qdi_png_chunk_seal(data, joint->chunk.size - QDI_PNG_CHUNK_FRAME);
    return copy_chunk(joint, error);
}

/// Joined APNGs: writes a chunk that begins with its number in the sequence.
static qd_status put_numbered_chunk(qdi_apng_joint *joint, qd_error *error) {
    unsigned char *data = joint->chunk.data;
    qdi_png_put32(data + QDI_PNG_CHUNK_HEAD, joint->sequence++);
    qdi_png_chunk_seal(data, joint->chunk.size - QDI_PNG_CHUNK_FRAME);
    return copy_chunk(joint, error);
}

/// Writes the image data of a later file's first frame, which gets a number of the sequence.
static qd_status put_idat_as_fdat(qdi_apng_joint *joint, qd_error *error) {
    qdi_bytes *chunk = &joint->chunk;
    qd_status status = qdi_bytes_reserve(joint->allocator, chunk, 4);
    if (status != QD_OK) return status;
    size_t size = chunk->size - QDI_PNG_CHUNK_FRAME;
    memmove(chunk->data + QDI_PNG_CHUNK_HEAD + 4, chunk->data + QDI_PNG_CHUNK_HEAD, size);
    memcpy(chunk->data + 4, "fdAT", 4);
    chunk->size += 4;
    return put_numbered_chunk(joint, error);
}

/// Writes a chunk of a part to the joined animation, as its kind asks.
static qd_status join_chunk(qdi_apng_joint *joint, bool first, size_t size, size_t *seen, qd_error *error) {
    const unsigned char *chunk = joint->chunk.data;
    if (qdi_png_is(chunk, "IHDR") || qdi_png_is(chunk, "PLTE") || qdi_png_is(chunk, "tRNS"))
        return take_or_compare_head(joint, first, seen, error);
    if (qdi_png_is(chunk, "acTL"))
        return !first ? QD_OK : size == 8 ? put_joined_control(joint, error) : QD_ERR_CORRUPT;
    if (qdi_png_is(chunk, "fcTL")) {
        joint->copied += 1;
        return size >= 4 ? put_numbered_chunk(joint, error) : QD_ERR_CORRUPT;
    }
    if (qdi_png_is(chunk, "fdAT")) return size >= 4 ? put_numbered_chunk(joint, error) : QD_ERR_CORRUPT;
    if (qdi_png_is(chunk, "IDAT")) return first ? copy_chunk(joint, error) : put_idat_as_fdat(joint, error);
    return first && !qdi_png_is(chunk, "IEND") ? copy_chunk(joint, error) : QD_OK;
}

qd_status qdi_apng_join_add(qdi_apng_joint *joint, const char *part, qd_error *error) {
    FILE *file = NULL;
    qd_status status = open_apng_part(part, &file, error);
    if (status != QD_OK) return status;
    bool first = joint->copied == 0, last = false;
    size_t size = 0, seen = 0;
    while (status == QD_OK && !last) {
        status = qdi_png_chunk_read(joint->allocator, file, &joint->chunk, &size);
        if (status != QD_OK) break;
        last = qdi_png_is(joint->chunk.data, "IEND");
        status = join_chunk(joint, first, size, &seen, error);
    }
    (void)fclose(file);
    if (status == QD_OK && seen != joint->head.size) status = QD_ERR_CORRUPT;
    return status == QD_ERR_CORRUPT
               ? refuse_apng_part(status, part, "is damaged, or not of this video", error)
               : status;
}

qd_status qdi_apng_join_end(qdi_apng_joint *joint, qd_error *error) {
    qdi_bytes *chunk = &joint->chunk;
    chunk->size = 0;
    qd_status status = qdi_png_chunk_put(joint->allocator, chunk, "IEND", NULL, 0);
    if (status == QD_OK) status = copy_chunk(joint, error);
    if (status == QD_OK && joint->copied != joint->frames)
        status = refuse_apng_part(QD_ERR_CORRUPT, joint->path, "would lack frames", error);
    if (status == QD_OK) {
        status = qdi_file_close(joint->file, joint->path, true, error);
        joint->file = QDI_FILE_NONE;
    }
    qdi_apng_join_discard(joint);
    return status;
}

void qdi_apng_join_discard(qdi_apng_joint *joint) {
    if (joint->file != QDI_FILE_NONE) {
        qd_status closed = qdi_file_close(joint->file, joint->path, false, NULL);
        (void)closed; // it is given up
        joint->file = QDI_FILE_NONE;
    }
    qdi_bytes_release(joint->allocator, &joint->head);
    qdi_bytes_release(joint->allocator, &joint->chunk);
}
