#ifndef QD_TOOLS_OS_H
#define QD_TOOLS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// What the program needs of the system beyond ISO C, in one place.

/// Processors of the machine that are switched on, >= 1.
int qdi_host_cores(void);

/// Processors that this process may run on, or 0 where that cannot be known.
int qdi_host_affinity(void);

/// The most memory this process has had in use, in bytes; 0 where that cannot be known.
size_t qdi_host_peak_memory(void);

/// The processor's name, "unknown" where that cannot be known.
void qdi_host_processor(char *text, size_t bytes);

/// True where a program of this name can be started. The name is letters and digits.
bool qdi_host_has_program(const char *name);

/// Starts a program, named as above, that reads what is written to the result; NULL where that fails. Should it end early,
/// writing fails, now and afterwards, instead of killing us.
FILE *qdi_host_program_open(const char *name);
/// Waits for the program's end; true where all was written and it was content.
bool qdi_host_program_close(FILE *program);

/// From now on what is written to stdout goes to stderr: for libraries that tell people things there. The result is for
/// qdi_host_stdout_back, which ends that; < 0 where it cannot be done.
int qdi_host_stdout_away(void);
void qdi_host_stdout_back(int kept);

/// True where stderr is a terminal that can redraw a line.
bool qdi_host_stderr_is_terminal(void);

/// Columns of the terminal at stderr, 80 where that cannot be known.
int qdi_host_terminal_width(void);

/// From now on SIGINT, SIGTERM, SIGUSR1 and SIGHUP are only noted. A second SIGINT ends the program at once, if it comes a
/// quarter of a second after the first or later: a person's does, while some programs that stop others send theirs twice in
/// a row. A signal that whoever started us has set to be ignored stays so. Writing past a file's size limit or to a closed
/// pipe no longer kills the program but fails.
void qdi_host_watch_signals(void);

/// The signal noted, or 0.
int qdi_host_signal(void);

/// "SIGINT", ...
const char *qdi_host_signal_name(int number);

/// Bytes that may still be written to the file system that a path is on; UINT64_MAX where that cannot be known.
uint64_t qdi_host_disk_free(const char *path);

/// Size of a file in bytes, 0 where there is none.
uint64_t qdi_host_file_size(const char *path);

#endif
