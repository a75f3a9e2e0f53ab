// The kernels, as the Go side calls them.
#ifndef KERNELS_H
#define KERNELS_H

#include "tile.h"

// select_kernels chooses the best that the processor has, of those up to a name, or of all for an empty one. It returns the choice's name,
// or 0 if there is none of that name.
const char *select_kernels(const char *name);

#endif
