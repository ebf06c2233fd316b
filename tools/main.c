#include "tools/cmd/program.h"

#include <stddef.h>

// The program `quadrille`.
int main(int argc, char **argv) {
    return qdi_program(argc, argv, NULL);
}
