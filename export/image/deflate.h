#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stddef.h>

/// Data that are all there at once, compressed for a PNG's IDAT chunk.

/// The byte that must not be in the data.
#define QDI_DEFLATE_NEVER 0xff

/// How many bytes at most so many are compressed to: room to give to qdi_deflate.
size_t qdi_deflate_most(size_t size);

/// Compresses `size` bytes, less than 2^32, into a zlib stream in `out`, which has room for
/// qdi_deflate_most(size), and writes how many it has to `length`. No byte of the data is QDI_DEFLATE_NEVER.
/// The same data give the same bytes, for one kind of processor and one version of the library. Takes 370 kB,
/// or what zlib takes, while it works. Errors: QD_ERR_MEMORY, QD_ERR_INTERNAL (the library refused; it was
/// given all that it asks for).
QD_MUST_USE qd_status qdi_deflate(const qd_allocator *allocator, unsigned char *data, size_t size,
                                  unsigned char *out, size_t *length);
