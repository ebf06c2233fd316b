#pragma once

/// How the program ends. Scripts and job schedulers rely on these.
enum {
    QDI_EXIT_DONE = 0,
    QDI_EXIT_FAILED = 1,    ///< no memory, no video, or a bug of ours
    QDI_EXIT_USAGE = 2,     ///< the command line is wrong
    QDI_EXIT_SCENE = 3,     ///< the scene is missing, unreadable or invalid
    QDI_EXIT_OUTPUT = 4,    ///< output or input/output
    QDI_EXIT_INVARIANT = 5, ///< a limit was passed while running, or what must be equal differs
    QDI_EXIT_STOPPED = 75,  ///< stopped early by a signal, with a checkpoint to go on from
    QDI_EXIT_SIGNAL = 128, ///< plus the signal's number, where there is nothing to go on from: 130 for Ctrl-C
};
