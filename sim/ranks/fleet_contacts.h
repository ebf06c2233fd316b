#pragma once

#include "sim/ranks/fleet_needs.h"
#include "sim/ranks/splice.h"

/// Contacts of bodies that get another owner: they go where the bodies go, with what they remember.

/// Contacts that are sent to the owners of their bodies by the owner of the first one.
typedef struct qdi_contact_choice {
    const qdi_fleet_needs *needs;
    const qd_world *past;
    bool placed;             ///< which ones are told by place, those of springs that meet; else by number
    const uint32_t *numbers; ///< which; NULL: all
    size_t count;
    const uint8_t *home; ///< by index: the owner so far of another's body: ranks that owned one of two bodies
                         ///< have the contact; NULL: nobody has any
} qdi_contact_choice;

/// Fleet's contacts: the rows of the bodies of a present contact, by place or number; b QDI_NO_ROW: a wall.
qdi_meeting qdi_fleet_rows_of(const qd_world *world, bool placed, size_t i);
/// Fleet's contacts: sends them, and receives those of bodies that this rank is to own, which are a pile of
/// messages (fleet_mail.h). All ranks call it together. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_contacts_post(const qdi_contact_choice *choice, qdi_post *post, qdi_message *from);

/// A part whose contacts are put together anew: those of its bodies that stay, and some that come.
typedef struct qdi_contact_splice {
    qd_world *world;        ///< its `following` contacts become those
    const uint8_t *fate;    ///< by index: QDI_FATE_OWN, QDI_FATE_GHOST or QDI_FATE_GONE
    const uint32_t *to;     ///< by index: the new one
    const uint64_t *names;  ///< by new index
    size_t bodies;          ///< new indices
    qdi_contact_mail *come; ///< in order
    size_t come_count;
} qdi_contact_splice;

/// Fleet's contacts: walls come behind all names.
#define QDI_FLEET_WALL (UINT64_C(1) << 63)

/// What becomes of a body of a part; one that is gone has the bit QDI_SPLICE_GOES.
enum { QDI_FATE_OWN = 0, QDI_FATE_GONE = QDI_SPLICE_GOES, QDI_FATE_GHOST = 2 };

/// Fleet's contacts: makes them, but for rows: qdi_fleet_find_rows when bodies have theirs. Works in the
/// world's arena. Errors: QD_ERR_MEMORY, QD_ERR_INTERNAL; present contacts stay.
QD_MUST_USE qd_status qdi_contacts_splice(const qdi_contact_splice *job);
/// Fleet's contacts: a state of so many contacts, made in no step, but for what they are.
void qdi_fleet_begin_state(const qdi_contact_state *from, size_t touching, size_t all,
                           qdi_contact_state *state);
/// Fleet's contacts: finds the rows of the present ones, which were put together anew.
void qdi_fleet_find_rows(qd_world *world);
