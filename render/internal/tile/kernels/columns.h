// Blooming and smear in a CCD's columns: package render/chip's ColumnNumbers in vectors of columns, byte for byte. See
// there.
#ifndef COLUMNS_H
#define COLUMNS_H

#include "chip.h"

// fill_wells returns the content of wells that received light, after they exchanged charge with a flow along their
// columns.
INLINE vf fill_wells(vf light, vf full, vf *flow, vf spilt) {
	*flow += spilt;
	vf taken = min_(*flow, full - light);
	*flow -= taken;
	return light + taken;
}

// fill_columns applies blooming and smear to an image's planes. spilt has room for 16 numbers per row.
static void fill_columns(const chip *c, const planes *p, int32_t width, int32_t height, float *spilt) {
	vf full = set(c->full);
	for (int k = 0; k < 3; k++) {
		for (int x = 0; x < width; x += LANES) {
			vf sum = set(0), flow = set(0);
			float *column = p->plane[k] + x;
			for (int y = 0; y < height; y++) {
				float *at = column + (size_t)y * p->stride;
				vf l = load(at);
				sum += l;
				vf spills = c->spill * max_(l - full, set(0));
				store(spilt + y * LANES, spills);
				store(at, fill_wells(min_(l, full), full, &flow, spills));
			}
			flow = set(0);
			for (int y = height - 1; y >= 0; y--) {
				float *at = column + (size_t)y * p->stride;
				store(at, fill_wells(load(at), full, &flow, load(spilt + y * LANES)));
			}
			vf smear = c->smear * sum;
			for (int y = 0; y < height; y++) {
				float *at = column + (size_t)y * p->stride;
				store(at, load(at) + smear);
			}
		}
	}
}

#endif
