// Writes the manual pages and the shell completions: quadrille_manual TEXTS OUT [mpi]. TEXTS has a NAME.txt
// for each command, with what its page says under DESCRIPTION, quadrille.txt, mpi.txt and exit-status.txt;
// OUT gets man1/*.1, quadrille.bash, _quadrille and quadrille.fish. With `mpi` there is a page of
// quadrille-mpi too.

#include "tools/manual/manual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, TEXT_SIZE = 32768 };

// Reads a text that goes into a manual page.
static char *read_page_text(const char *folder, const char *name) {
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s.txt", folder, name);
    char *text = calloc(1, TEXT_SIZE);
    FILE *file = text ? fopen(path, "rb") : NULL;
    size_t got = file ? fread(text, 1, TEXT_SIZE - 1, file) : 0;
    bool read = file && !ferror(file) && got > 0 && got < TEXT_SIZE - 1;
    if (file) (void)fclose(file);
    if (read) return text;
    fprintf(stderr, "cannot read %s, which a manual page needs (1 to %d bytes)\n", path, TEXT_SIZE - 2);
    free(text);
    return NULL;
}

// Creates a file of the manual.
static FILE *create_manual_file(const char *folder, const char *name) {
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) fprintf(stderr, "cannot write %s\n", path);
    return file;
}

// Closes a file of the manual; false if it could not be written.
static bool finish_manual_file(FILE *file, const char *name) {
    bool written = !ferror(file);
    if (fclose(file) != 0) written = false;
    if (!written) fprintf(stderr, "cannot write %s\n", name);
    return written;
}

/// What all pages are made of.
typedef struct manual_job {
    const char *texts, *out; ///< folders
    const char *exits;       ///< what pages say of exit codes
    bool mpi;                ///< quadrille-mpi has a page
} manual_job;

/// Manual: `command` NULL: the program's.
static bool write_page(const manual_job *job, const qdi_command *command) {
    char name[80] = "man1/quadrille.1";
    if (command) (void)snprintf(name, sizeof name, "man1/quadrille-%.40s.1", command->syntax->command);
    char *text = read_page_text(job->texts, command ? command->syntax->command : "quadrille");
    FILE *file = text ? create_manual_file(job->out, name) : NULL;
    if (file && command)
        qdi_manual_page(file, command, text, job->exits, job->mpi);
    else if (file)
        qdi_manual_program(file, text, job->exits, job->mpi);
    free(text);
    return file && finish_manual_file(file, name);
}

// Manual: the page of quadrille-mpi.
static bool write_mpi_page(const manual_job *job) {
    char *text = read_page_text(job->texts, "mpi");
    FILE *file = text ? create_manual_file(job->out, "man1/quadrille-mpi.1") : NULL;
    if (file) qdi_manual_mpi(file, text, job->exits);
    free(text);
    return file && finish_manual_file(file, "man1/quadrille-mpi.1");
}

// Manual: the pages of section 1.
static bool write_pages(const manual_job *job) {
    bool written = write_page(job, NULL) && (!job->mpi || write_mpi_page(job));
    const qdi_command *command;
    for (size_t i = 0; written && (command = qdi_command_at(i)) != NULL; ++i)
        written = write_page(job, command);
    return written;
}

// Writes the completion of one shell.
static bool write_completion(const char *out, const char *name, void (*write)(FILE *)) {
    FILE *file = create_manual_file(out, name);
    if (!file) return false;
    write(file);
    return finish_manual_file(file, name);
}

// The program that writes manual pages and completions during the build.
int main(int argc, char **argv) {
    const bool mpi = argc == 4 && strcmp(argv[3], "mpi") == 0;
    if ((argc != 3 && !mpi) || strlen(argv[1]) > PATH_SIZE - 100 || strlen(argv[2]) > PATH_SIZE - 100) {
        fprintf(stderr, "usage: quadrille_manual TEXTS OUT [mpi]\n");
        return 2;
    }
    char *exits = read_page_text(argv[1], "exit-status");
    const manual_job job = {argv[1], argv[2], exits, mpi};
    bool written = exits && write_pages(&job);
    free(exits);
    FILE *scene = written ? create_manual_file(argv[2], "man5/quadrille-scene.5") : NULL;
    if (scene) qdi_manual_scene(scene);
    written = scene && finish_manual_file(scene, "man5/quadrille-scene.5");
    written = written && write_completion(argv[2], "quadrille.bash", qdi_complete_bash) &&
              write_completion(argv[2], "_quadrille", qdi_complete_zsh) &&
              write_completion(argv[2], "quadrille.fish", qdi_complete_fish);
    return written ? 0 : 1;
}
