// The kernels for processors with AVX-512: servers since 2017, desktops since 2022.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(BASE_ALONE)
#pragma GCC target("avx2,fma,bmi,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")
#define KERNELS avx512_kernels
#define NAME "avx512"
#include "kernel.h"
#endif
