"""Checksums of saved worlds: XXH3-64, by libxxhash where it is there."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np


SECRET = np.frombuffer(
    bytes.fromhex(
        "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
        "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
        "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
        "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
    ),
    dtype=np.uint8,
)
MASK = (1 << 64) - 1
PRIMES = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
START = (0xC2B2AE3D, PRIMES[0], PRIMES[1], PRIMES[2], PRIMES[3], 0x85EBCA77, PRIMES[4], 0x9E3779B1)


def secret_words(at: int, count: int) -> np.ndarray:
    return np.frombuffer(SECRET.tobytes(), dtype="<u8", count=count, offset=at)


def stripe_sums(words: np.ndarray, secret: np.ndarray) -> np.ndarray:
    """What stripes of eight words add to the accumulators: (..., stripes, 8) becomes (..., 8)."""
    keyed = words ^ secret
    product = (keyed & np.uint64(0xFFFFFFFF)) * (keyed >> np.uint64(32))
    product += words.reshape(*words.shape[:-1], 4, 2)[..., ::-1].reshape(words.shape)
    return product.sum(axis=-2, dtype=np.uint64)


def hash_slowly(data: memoryview) -> int:
    """XXH3-64 of more than 240 bytes, after its specification (https://github.com/Cyan4973/xxHash)."""
    keys = np.stack([secret_words(8 * stripe, 8) for stripe in range(16)])
    blocks = (len(data) - 1) // 1024
    sums = np.array(START, dtype=np.uint64)
    scramble, prime, shift = secret_words(128, 8), np.uint64(0x9E3779B1), np.uint64(47)
    for first in range(0, blocks, 1024):
        count = min(1024, blocks - first)
        words = np.frombuffer(data, dtype="<u8", count=count * 128, offset=first * 1024).reshape(count, 16, 8)
        for added in stripe_sums(words, keys):
            sums += added
            sums ^= sums >> shift
            sums ^= scramble
            sums *= prime
    stripes = (len(data) - 1 - 1024 * blocks) // 64
    words = np.frombuffer(data, dtype="<u8", count=stripes * 8, offset=1024 * blocks).reshape(stripes, 8)
    sums += stripe_sums(words, keys[:stripes])
    last = np.frombuffer(data, dtype="<u8", count=8, offset=len(data) - 64).reshape(1, 8)
    sums += stripe_sums(last, secret_words(121, 8))
    mixed = [int(value) for value in sums ^ secret_words(11, 8)]
    total = len(data) * PRIMES[0]
    for low, high in zip(mixed[::2], mixed[1::2]):
        product = low * high
        total += (product & MASK) ^ (product >> 64)
    total &= MASK
    total = (total ^ (total >> 37)) * 0x165667919E3779F9 & MASK
    return total ^ (total >> 32)


def load_hash() -> Any:
    try:
        found = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
    except (OSError, AttributeError):
        return None
    found.restype, found.argtypes = ctypes.c_uint64, [ctypes.c_void_p, ctypes.c_size_t]
    return found


fast_hash = load_hash()


def checksum(data: memoryview) -> int:
    if fast_hash is None:
        return hash_slowly(data)
    return int(fast_hash(np.frombuffer(data, dtype=np.uint8).ctypes.data, len(data)))
