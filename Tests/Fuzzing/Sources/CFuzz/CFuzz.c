#include "CFuzz.h"

// Only satisfies libFuzzer's own main where the linker pulls it in; never called.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)data;
  (void)size;
  return 0;
}
