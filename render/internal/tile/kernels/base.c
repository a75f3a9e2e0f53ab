// The kernels for any processor.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2") // compiles in half the time of -O3
#endif
#define KERNELS base_kernels
#define NAME "base"
#include "kernel.h"
