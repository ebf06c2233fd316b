#define _GNU_SOURCE // nftw, mkdtemp, unshare
#include "tests/support/scratch.h"
#include "tests/support/harness.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

qd_scratch qd_scratch_make(void) {
    qd_scratch scratch;
    const char *root = getenv("TMPDIR");
    snprintf(scratch.path, sizeof scratch.path, "%.200s/quadrille-test-XXXXXX",
             root && *root ? root : "/tmp");
    ck_assert_msg(mkdtemp(scratch.path) != NULL, "cannot make %s", scratch.path);
    return scratch;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

void qd_scratch_remove_tree(const char *path) {
    ck_assert_int_eq(nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void qd_scratch_remove(const qd_scratch *scratch) {
    qd_scratch_remove_tree(scratch->path);
}

qd_scratch_path qd_scratch_at(const qd_scratch *scratch, const char *name) {
    qd_scratch_path path;
    int length = snprintf(path.text, sizeof path.text, "%s/%s", scratch->path, name);
    ck_assert(length > 0 && (size_t)length < sizeof path.text);
    return path;
}

void qd_scratch_write(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file != NULL, "cannot write %s", path);
    ck_assert_uint_eq(fwrite(text, 1, strlen(text), file), strlen(text));
    ck_assert_int_eq(fclose(file), 0);
}

char *qd_scratch_read(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = NULL;
    size_t used = 0, room = 0;
    for (;;) {
        if (used + 1 >= room) {
            room = room ? room * 2 : 4096;
            text = realloc(text, room);
            ck_assert_ptr_nonnull(text);
        }
        size_t got = fread(text + used, 1, room - used - 1, file);
        if (got == 0) break;
        used += got;
    }
    text[used] = '\0';
    if (bytes) *bytes = used;
    ck_assert_int_eq(fclose(file), 0);
    return text;
}

bool qd_scratch_exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

bool qd_scratch_same(const char *one, const char *other) {
    size_t bytes = 0, more = 0;
    qd_own_memory char *p = qd_scratch_read(one, &bytes), *q = qd_scratch_read(other, &more);
    ck_assert_msg(p && q, "%s or %s is missing", one, other);
    return bytes == more && memcmp(p, q, bytes) == 0;
}

void qd_scratch_await(const char *path) {
    for (int i = 0; i < 600000; ++i) {
        if (qd_scratch_exists(path)) return;
        usleep(1000);
    }
    ck_abort_msg("%s never came", path);
}

size_t qd_scratch_count(const char *path) {
    DIR *directory = opendir(path);
    ck_assert_msg(directory != NULL, "no directory %s", path);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) ++count;
    closedir(directory);
    return count;
}

/// Becomes somebody who may mount, if only in a world of his own.
static bool become_root(void) {
    char map[64];
    snprintf(map, sizeof map, "0 %u 1\n", (unsigned)getuid());
    if (unshare(CLONE_NEWNS) == 0) return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    int file = open("/proc/self/uid_map", O_WRONLY);
    bool mapped = file >= 0 && write(file, map, strlen(map)) > 0;
    if (file >= 0) (void)close(file);
    return mapped;
}

bool qd_scratch_make_small(qd_scratch *scratch, const char *size) {
    *scratch = qd_scratch_make();
    char options[64];
    snprintf(options, sizeof options, "size=%s", size);
    if (become_root() && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mount("tmpfs", scratch->path, "tmpfs", 0, options) == 0)
        return true;
    printf("skipped: this system lets nobody mount a small file system\n");
    qd_scratch_remove(scratch);
    return false;
}

void qd_scratch_remove_small(const qd_scratch *scratch) {
    ck_assert_int_eq(umount(scratch->path), 0);
    qd_scratch_remove(scratch);
}

void qd_scratch_fill(const char *path, int kilobytes) {
    static const char zeros[1024];
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < kilobytes; ++i) ck_assert_uint_eq(fwrite(zeros, 1, sizeof zeros, file), sizeof zeros);
    ck_assert_int_eq(fclose(file), 0);
}
