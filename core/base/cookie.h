#ifndef QD_CORE_COOKIE_H
#define QD_CORE_COOKIE_H

/// What a def's `cookie` holds after its _default(): a def that was only zeroed, or never set, is refused.
#define QDI_COOKIE 0x51445231U

#endif
