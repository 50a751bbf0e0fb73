#ifndef ATSCOPE_PAGE_H
#define ATSCOPE_PAGE_H

#include <stddef.h>

// The files of script/ in the order of page.c, and style.css.
extern const unsigned char atscope_page_script[];
extern const size_t atscope_page_script_count;
extern const unsigned char atscope_page_style[];
extern const size_t atscope_page_style_count;

static inline const unsigned char *_Nonnull atscope_page_script_bytes(void) { return atscope_page_script; }
static inline const unsigned char *_Nonnull atscope_page_style_bytes(void) { return atscope_page_style; }

#endif
