#pragma once

/// How many items of a parallel pass a range has.

/// Bodies per range of a parallel pass.
#define QDI_BODY_GRAIN 512
/// Contacts (or candidates) per range.
#define QDI_CONTACT_GRAIN 1024
/// The same of passes that spend much on a contact and meet few: a thread joins for every two ranges.
#define QDI_TOUCH_GRAIN 256
/// Constraints per range of a sweep of bounces, of whose colours most are small.
#define QDI_BOUNCE_GRAIN 256
/// Rigid contacts are made and solved by one thread where there are fewer of them, and of bodies: to share
/// some ten short loops would cost more than they take.
#define QDI_FEW 512
/// Indices (or contacts) per block of an ordered sum or hash.
#define QDI_BLOCK 4096
