#pragma once

/// How many items of a parallel pass a range has.

/// Bodies per range of a parallel pass.
#define QDI_BODY_GRAIN 512
/// Candidates, or links of contacts, per range: of each a pass reads a line of memory or two.
#define QDI_CANDIDATE_GRAIN 1024
/// Contacts per range: a contact and its two bodies lie in ten lines of memory, so that a few of them are
/// worth a second thread.
#define QDI_CONTACT_GRAIN 256
/// Rigid contacts are made and solved by one thread where there are fewer of them, and of bodies: to share
/// some ten short loops would cost more than they take.
#define QDI_FEW 512
/// Indices (or contacts) per block of an ordered sum or hash.
#define QDI_BLOCK 4096
