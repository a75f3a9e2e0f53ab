// The kernels for any processor.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2") // compiles in two thirds of the time of -O3; hardly any processor uses these kernels
#endif
#define KERNELS base_kernels
#define NAME "base"
#include "kernel.h"
