// What a chip's columns do with too much light: package render/chip's ColumnNumbers in vectors of columns, byte for byte; there stands what it is.
#ifndef COLUMNS_H
#define COLUMNS_H

#include "chip.h"

// fill returns what wells hold which have held light, once they have given some to a flow along their columns and taken what they have room for.
INLINE vf fill_wells(vf light, vf full, vf *flow, vf spilt) {
	*flow += spilt;
	vf taken = min_(*flow, full - light);
	*flow -= taken;
	return light + taken;
}

// fill_columns makes of the light of an image's planes that which their columns hold. spilt has room for 16 numbers a row.
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
