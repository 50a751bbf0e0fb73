#pragma once

#include <stddef.h>
#include <stdint.h>

// libFuzzer's own entry; SwiftPM renames `main`, so we start it ourselves.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
