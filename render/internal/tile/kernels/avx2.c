// The kernels for processors with AVX2 and FMA.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(BASE_ALONE)
#pragma GCC target("avx2,fma,bmi,bmi2,lzcnt,popcnt")
#define KERNELS avx2_kernels
#define NAME "avx2"
#include "kernel.h"
#endif
