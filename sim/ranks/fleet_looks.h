#pragma once

#include "sim/ranks/fleet_impl.h"

/// Numbers that all ranks give to shapes, or to traits, as a saved world lists them: in the order in which
/// bodies, by name, have them first. Equal ones that several ranks have get one number. No rank sees them
/// all: who works out who has one first follows from its hash.

typedef enum qdi_looks_kind { QDI_LOOKS_SHAPES, QDI_LOOKS_TRAITS } qdi_looks_kind;

typedef struct qdi_looks {
    const qd_allocator *allocator;
    uint64_t *first;  ///< by number in this rank's world: the least name of an own body that has it
    uint32_t *number; ///< the same: among all ranks', from 1; 0 of the default
    uint8_t *leads;   ///< the same: nobody elsewhere has it first
    size_t room;
    uint64_t count; ///< of all ranks
} qdi_looks;

/// Fleet's looks: numbers those of the whole world, which has `bodies` bodies of the names from 0 on. All
/// ranks call it together. Errors: QD_ERR_MEMORY. To be released in any case.
QD_MUST_USE qd_status qdi_looks_make(const qdi_fleet_rank *rank, qdi_looks_kind kind, uint64_t bodies,
                                     qdi_looks *looks);
void qdi_looks_release(qdi_looks *looks);
