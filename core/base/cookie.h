#pragma once

/// What a def's `cookie` holds after its _default(): a def that was only zeroed, or never set, is refused.
#define QDI_COOKIE 0x51445231U
