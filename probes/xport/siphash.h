/* SPDX-License-Identifier: Apache-2.0 */
/* A keyed hash: who does not have the key can neither make nor guess it. */
#ifndef FP_PROBES_XPORT_SIPHASH_H
#define FP_PROBES_XPORT_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_BYTES 16

/**
 * siphash() - SipHash-2-4 of @len bytes (Aumasson and Bernstein 2012).
 */
uint64_t siphash(const uint8_t key[static SIPHASH_KEY_BYTES], const void *data,
                 size_t len);

#endif
