// All kernels, in the form for the processor that the including file has chosen.
#include "lanes.h"

#include "setup.h"
#include "raster.h"
#include "floor.h"
#include "chip.h"
