// The kernels for any processor.
#define KERNELS base_kernels
#define NAME "base"
#include "kernel.h"
