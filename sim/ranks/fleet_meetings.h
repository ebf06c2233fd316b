#pragma once

#include "sim/ranks/fleet_contacts.h"

/// Contacts of springs that meet, at a renewal: they stay in the form in which a step keeps them, which is a
/// fifth of the contacts that callers see.

/// Fleet's contacts: qdi_contacts_splice for those, with the `fate` of each by place; bodies are told by
/// index for the time being. All ranks have contacts of this kind, or none has (qdi_all_are_disks).
QD_MUST_USE qd_status qdi_meetings_splice(const qdi_contact_splice *job, const uint8_t *fate);
