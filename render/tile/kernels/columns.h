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

// excess_of fills in what the white pixels of each cell are brighter than white by, in a colour.
static void excess_of(float *to, const float *plane, int stride, const float *above, int k, int width, int height) {
	int cols = (width + GLARE_CELL - 1) / GLARE_CELL, rows = (height + GLARE_CELL - 1) / GLARE_CELL;
	for (int i = 0; i < cols * rows; i++) {
		to[3 * i + k] = 0;
		if (!above || !(above[3 * i + k] > 0)) continue;
		int x0 = i % cols * GLARE_CELL, y0 = i / cols * GLARE_CELL, white = 0;
		int w = width - x0 < GLARE_CELL ? width - x0 : GLARE_CELL, h = height - y0 < GLARE_CELL ? height - y0 : GLARE_CELL;
		for (int y = y0; y < y0 + h; y++)
			for (int x = x0; x < x0 + w; x++) white += plane[(size_t)y * stride + x] >= 1;
		if (white) to[3 * i + k] = above[3 * i + k] * (float)(w * h) / (float)white;
	}
}

// fill_columns makes of the light of an image's planes that which their columns hold. memory has room for three numbers a cell, and for GLARE_CELL a row.
static void fill_columns(const chip *c, const planes *p, int32_t width, int32_t height, const float *above, float *memory) {
	int cols = (width + GLARE_CELL - 1) / GLARE_CELL, rows = (height + GLARE_CELL - 1) / GLARE_CELL;
	float *excess = memory, *spilt = memory + 3 * cols * rows;
	vf full = set(c->full);
	for (int k = 0; k < 3; k++) {
		excess_of(excess, p->plane[k], p->stride, above, k, width, height);
		for (int x = 0; x < width; x += LANES) {
			vf sum = set(0), flow = set(0);
			float *column = p->plane[k] + x;
			for (int y = 0; y < height; y++) {
				float *at = column + (size_t)y * p->stride;
				vf l = load(at);
				float more = excess[(y / GLARE_CELL * cols + x / GLARE_CELL) * 3 + k];
				l = select(ge(l, set(1)), l + more, l);
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
