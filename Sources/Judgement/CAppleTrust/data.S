// The bytes of apple-trust.bin as read-only data.
// Written by Tests/Scripts/apple-trust.py; the data has SHA-256 0b77449baf4883dbe1b44531d8017d91508602e8fd7e26c3dd1c9f9fdf849118.

#if defined(__APPLE__)
#define SYMBOL(name) _##name
  .section __TEXT,__const
#else
#define SYMBOL(name) name
  .section .rodata
#endif

  .globl SYMBOL(atscope_apple_trust_begin)
  .globl SYMBOL(atscope_apple_trust_end)
  .p2align 4
SYMBOL(atscope_apple_trust_begin):
  .incbin "apple-trust.bin"
SYMBOL(atscope_apple_trust_end):
  .byte 0

#if defined(__linux__) && defined(__ELF__)
  .section .note.GNU-stack,"",%progbits
#endif
