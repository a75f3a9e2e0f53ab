#include "kernels.h"

extern const kernels base_kernels, avx2_kernels, avx512_kernels;

const kernels *const *all_kernels(void) {
	static const kernels *found[4];
	int n = 0;
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(BASE_ALONE)
	__builtin_cpu_init();
	int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
	int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512vl");
	if (avx512) found[n++] = &avx512_kernels;
	if (avx2) found[n++] = &avx2_kernels;
#endif
	found[n] = &base_kernels;
	return found;
}
