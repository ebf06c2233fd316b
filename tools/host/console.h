#pragma once

/// What the program says to people, on stderr. Data goes to stdout.

/// Console: why the program ends: one line, "quadrille: ...". What could break the line (a path with a line
/// break) is replaced.
void qdi_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Console: the same as "quadrille: warning: ...".
void qdi_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// A number of things for people: "950", "12.3k", "4.56M".
typedef struct qdi_words {
    char text[32];
} qdi_words;
qdi_words qdi_words_count(double count);

/// Console: bytes for people: "950 B", "12.3 kB", "4.56 TB".
qdi_words qdi_words_bytes(double bytes);

/// Console: seconds for people: "0:07", "1:02:03", "3 d 4 h".
qdi_words qdi_words_duration(double seconds);
