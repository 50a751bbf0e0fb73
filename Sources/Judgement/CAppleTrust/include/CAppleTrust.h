#ifndef ATSCOPE_APPLE_TRUST_H
#define ATSCOPE_APPLE_TRUST_H

#include <stddef.h>

// apple-trust.bin, as data.S embeds it.
extern const unsigned char atscope_apple_trust_begin[];
extern const unsigned char atscope_apple_trust_end[];

static inline const unsigned char *_Nonnull atscope_apple_trust_bytes(void) { return atscope_apple_trust_begin; }

static inline size_t atscope_apple_trust_count(void) {
  return (size_t)(atscope_apple_trust_end - atscope_apple_trust_begin);
}

#endif
