#pragma once
#include <stdint.h>
#define PRIu64 "llu"
