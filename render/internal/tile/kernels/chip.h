// The faults of lens and image sensor: package render/chip in vectors, byte for byte. No multiplication is fused with
// an addition.
#ifndef CHIP_H
#define CHIP_H

#include "noise.h"
#include "tile.h"

// RED, GREEN and BLUE are offsets. A pixel's random numbers have the indices 3 × its index + one of these.
enum { RED, GREEN, BLUE };

// seldom reports whether a chip has a rarely used fault: fixed-pattern noise, glare, flicker, or planes of light
// without chromatic aberration.
INLINE int seldom(const chip *c) { return c->fixed || c->glare || c->flicker || (c->light && !c->chromatic); }

// site is the position of a vector's pixels: the index of each in the image, its column and its row, and the planes'
// value for each row. more is a compile-time 0 for chips without rarely used faults.
typedef struct {
	vi at, x, y;
	const float *rows;
	int more;
} site;

INLINE vf fixed_normal(const chip *c, int of, vi index) { return normal(random_bits(c->fixed_key[of], index)); }

// reading is the reading of pixels, 0 to 1, for their light, of which lamps contribute a fraction. index is the index
// of their colours.
INLINE vf reading(const chip *c, vf light, const site *s, vi index, vf gain, vf lamps) {
	vf charge = light * c->exposure, dark = set(0);
	if (s->more && c->flicker) charge += charge * (lamps * gather(s->rows, s->y));
	if (s->more && c->fixed) {
		if (c->response) charge += charge * (c->response * fixed_normal(c, 0, index));
		if (c->hot) {
			vi chance = (vi)(random_bits(c->fixed_key[3], index) >> 1);
			vf u = to_float(chance + 1) * c->hot_step;
			charge += where(ilt(chance, iset(c->hot)), c->hot_charge / (u * u));
		}
		if (c->dark) dark = c->dark * fixed_normal(c, 1, index);
		if (c->row) dark += c->row * fixed_normal(c, 2, s->y * 2);
		if (c->column) dark += c->column * fixed_normal(c, 2, s->x * 2 + 1);
	}
	vf sigma = sqrt_(charge * c->shot + c->read);
	if (s->more) charge += dark;
	vf v = gain * min_(charge + sigma * normal(random_bits(c->key, index)), set(1));
	return max_(min_(v, set(1)), set(0));
}

// srgb encodes light from 0 to 1 like render.Encode8.
INLINE vi srgb(vf light) {
	vf q = sqrt_(sqrt_(light));
	vf p = -17.377557908901256f * q + 73.83089656252895f;
	p = p * q - 147.25806739982556f;
	p = p * q + 320.1281048543894f;
	p = p * q + 41.31670438470577f;
	p = p * q - 15.64175593501447f;
	return truncated(select(le(light, set(0.0031308f)), light * 3294.6f, p) + 0.5f);
}

// rgb is three numbers for each pixel of a vector.
typedef struct {
	vf v[3];
} rgb;

INLINE vi packed(rgb light) { return srgb(light.v[RED]) | srgb(light.v[GREEN]) << 8 | srgb(light.v[BLUE]) << 16; }

// readings are the readings of each pixel of a vector in three colours.
INLINE rgb readings(const chip *c, rgb light, site s) {
	vi index = s.at * 3;
	rgb r;
	for (int i = 0; i < 3; i++) r.v[i] = reading(c, light.v[i], &s, index + i, set(c->gain[i]), set(c->lamps[i]));
	return r;
}

// mosaic is the reading of each pixel of a mosaic: red where red is set, blue where blue is set, green elsewhere.
INLINE vf mosaic(const chip *c, rgb light, site s, vm red, vm blue) {
	vf l = select(red, light.v[RED], select(blue, light.v[BLUE], light.v[GREEN]));
	vf gain = select(red, set(c->gain[RED]), select(blue, set(c->gain[BLUE]), set(c->gain[GREEN])));
	vf lamps = select(red, set(c->lamps[RED]), select(blue, set(c->lamps[BLUE]), set(c->lamps[GREEN])));
	vi color = iselect(red, iset(RED), iselect(blue, iset(BLUE), iset(GREEN)));
	return reading(c, l, &s, s.at * 3 + color, gain, lamps);
}

// store_group stores the pixels of a group, 3 bytes each, in rows with a stride. It overwrites 4 bytes after each row.
INLINE void store_group(uint8_t *to, int stride, rgb light) {
	vi bytes = squeeze(packed(light));
	for (int i = 0; i < GROUP_H; i++) memcpy(to + i * stride, (const char *)&bytes + 16 * i, 16);
}

// store_line stores n pixels of a row, at most LANES.
INLINE void store_line(uint8_t *to, int n, rgb light) {
	vi bytes = squeeze(packed(light));
	if (n >= LANES) {
		for (int i = 0; i < LANES / 4; i++) memcpy(to + 12 * i, (const char *)&bytes + 16 * i, 12);
		return;
	}
	for (int i = 0; i < n; i++) memcpy(to + 3 * i, (const char *)&bytes + i / 4 * 16 + i % 4 * 3, 3);
}

// in_row returns the site of the pixels of a row from x on.
INLINE site in_row(const planes *p, int width, int x, int y, int more) { return (site){INDEX + (y * width + x),
	INDEX + x, iset(y), p->rows, more}; }

// load_dirt returns the transmission of a dirty lens for a group's pixels, 0 beyond the image.
INLINE vf load_dirt(const float *dirt, int width, int height, int x, int y) {
	float share[LANES] = {0};
	for (int i = 0; i < GROUP_H && y + i < height; i++) {
		int n = width - x < GROUP_W ? width - x : GROUP_W;
		for (int k = 0; k < n; k++) share[i * GROUP_W + k] = dirt[(size_t)(y + i) * width + x + k];
	}
	return load(share);
}

// develop_tile converts the light of a tile, whose first pixel is (x0, y0), to bytes, or to planes if pixels depend on
// each other. White pixels are multiplied by brighter, which is 0 if the image does not record light above white.
INLINE void develop_tile(const view *v, const light *all, int x0, int y0, const float *dirt, const float *brighter,
	uint8_t *pix, int more) {
	enum { STRIDE = 3 * TILE_SIZE + 16 };
	const chip *c = &v->chip;
	uint8_t rows[TILE_SIZE * STRIDE];
	vm red = ieq(INDEX & (1 | GROUP_W), iset(0)), blue = ieq(INDEX & (1 | GROUP_W), iset(1 | GROUP_W));
	vi lane = (INDEX & (GROUP_W - 1)) + INDEX / GROUP_W * v->width;
	for (int y = 0; y < TILE_SIZE; y += GROUP_H) {
		for (int x = 0; x < TILE_SIZE; x += GROUP_W) {
			int i = (y * TILE_SIZE / GROUP_H + x) / GROUP_W * LANES, column = x0 + x, row = y0 + y;
			const float *light[3] = {all->r + i, all->g + i, all->b + i};
			site s = {lane + (row * v->width + column), (INDEX & (GROUP_W - 1)) + column, INDEX / GROUP_W + row,
				v->planes.rows, more};
			rgb l;
			for (int k = 0; k < 3; k++) l.v[k] = clamp(load(light[k]), set(0), set(1));
			if (brighter)
				for (int k = 0; k < 3; k++) l.v[k] = select(ge(l.v[k], set(c->white)), l.v[k] * brighter[k], l.v[k]);
			if (dirt && column < v->width) {
				vf share = load_dirt(dirt, v->width, v->height, column, row);
				for (int k = 0; k < 3; k++) l.v[k] *= share;
			}
			size_t place = (size_t)row * v->planes.stride + column;
			if (c->light) {
				for (int k = 0; k < 3; k++) store_rows(v->planes.plane[k] + place, v->planes.stride, l.v[k]);
			} else if (c->bayer) {
				store_rows(v->planes.plane[0] + place, v->planes.stride, mosaic(c, l, s, red, blue));
			} else {
				store_group(rows + y * STRIDE + 3 * x, STRIDE, c->on ? readings(c, l, s) : l);
			}
		}
	}
	if (c->light || c->bayer) return;
	int w = v->width - x0 < TILE_SIZE ? v->width - x0 : TILE_SIZE, h = v->height - y0 < TILE_SIZE ? v->height - y0
		: TILE_SIZE;
	for (int y = 0; y < h; y++) memcpy(pix + 3 * ((size_t)(y0 + y) * v->width + x0), rows + y * STRIDE, 3 * (size_t)w);
}

// above_white computes the mean light above white over a tile's pixels: red, green, blue. It adds them one by one, so
// that all kernels give the same result; most tiles have none. It sets brighter to the factor of pixels that 8 bits
// show as white, if it is the same for all.
INLINE void above_white(const view *v, const light *all, int x0, int y0, float *mean, float *brighter) {
	const float *light[3] = {all->r, all->g, all->b};
	int w = v->width - x0 < TILE_SIZE ? v->width - x0 : TILE_SIZE, h = v->height - y0 < TILE_SIZE ? v->height - y0
		: TILE_SIZE;
	for (int k = 0; k < 3; k++) {
		vf most = set(0);
		for (int i = 0; i < TILE_PIXELS; i += LANES) most = max_(load(light[k] + i), most);
		mean[k] = 0, brighter[k] = 1;
		if (!bits(gt(most, set(1)))) continue;
		float sum = 0;
		int white = 0;
		for (int y = 0; y < h; y++) {
			for (int x = 0; x < w; x++) {
				float l = light[k][(y / GROUP_H * (TILE_SIZE / GROUP_W) + x / GROUP_W) * LANES + y % GROUP_H * GROUP_W +
					x % GROUP_W];
				if (l > 1) sum += l - 1;
				white += l >= v->chip.white;
			}
		}
		mean[k] = sum / (float)(w * h);
		brighter[k] = 1 + mean[k] * (float)(w * h) / (float)white;
	}
}

// source returns between which pixels of a line of n, at and at + 1, the light for pixels is interpolated, and the
// weight of the second.
INLINE vi source(vf pixel, float scale, int n, vf *share) {
	float middle = 0.5f * (float)(n - 1);
	vf p = clamp(middle + scale * (pixel - middle), set(0), set((float)(n - 1)));
	vi at = imin_(truncated(p), iset(n - 2));
	*share = p - to_float(at);
	return at;
}

// magnifier holds the rows of a plane between which the light of a row of pixels is interpolated, and the weight of the
// lower one.
typedef struct {
	const float *up, *low;
	vf down;
	float scale;
	int width;
} magnifier;

INLINE magnifier magnifier_of(const float *plane, int stride, int width, int height, float scale, int y) {
	magnifier m = {.scale = scale, .width = width};
	m.up = plane + (size_t)source(set((float)y), scale, height, &m.down)[0] * stride;
	m.low = m.up + stride;
	return m;
}

// magnified returns the light of the pixels of a row from x on, for a colour that the lens scales.
INLINE vf magnified(const magnifier *m, int x) {
	vf right, a, b;
	vi column = source(to_float(INDEX + x), m->scale, m->width, &right);
	int first = column[0];
	if (column[LANES - 1] + 1 - first < 2 * LANES) {
		vf u = load(m->up + first), v = load(m->up + first + LANES);
		vf c = u + (load(m->low + first) - u) * m->down, d = v + (load(m->low + first + LANES) - v) * m->down;
		a = pick(c, d, column - first), b = pick(c, d, column + 1 - first);
	} else {
		vf u = gather(m->up, column), v = gather(m->up, column + 1);
		a = u + (gather(m->low, column) - u) * m->down, b = v + (gather(m->low, column + 1) - v) * m->down;
	}
	return a + (b - a) * right;
}

// lens holds the light for a row of pixels, and the scattered light there: at the middles of cells of GLARE_CELL
// pixels, one beyond either end.
typedef struct {
	const chip *c;
	int more; // as in site; without it there is chromatic aberration
	magnifier red, blue;
	const float *row[3];
	float glare[3][LONGEST_SIDE / GLARE_CELL + 4];
} lens;

INLINE void set_lens(lens *l, const chip *c, const planes *p, int width, int height, int y, int more) {
	l->c = c, l->more = more;
	for (int k = 0; k < 3; k++) l->row[k] = p->plane[k] + (size_t)y * p->stride;
	if (!more || c->chromatic) {
		l->red = magnifier_of(p->plane[RED], p->stride, width, height, c->scale[0], y);
		l->blue = magnifier_of(p->plane[BLUE], p->stride, width, height, c->scale[1], y);
	}
	if (!more || !c->glare) return;
	int cell = (y + GLARE_CELL / 2) / GLARE_CELL, cells = (width + GLARE_CELL - 1) / GLARE_CELL + 2;
	float down = ((float)((y + GLARE_CELL / 2) % GLARE_CELL) + 0.5f) / GLARE_CELL;
	int rows = (height + GLARE_CELL - 1) / GLARE_CELL + 2;
	for (int k = 0; k < 3; k++) {
		const float *up = p->glare + (size_t)(k * rows + cell) * (size_t)cells, *low = up + cells;
		for (int i = 0; i < cells; i++) l->glare[k][i] = up[i] + (low[i] - up[i]) * down;
		l->glare[k][cells] = l->glare[k][cells + 1] = 0;
	}
}

// behind_lens returns the light on the pixels of a row from x on.
INLINE rgb behind_lens(const lens *l, int x) {
	rgb r;
	for (int k = 0; k < 3; k++) r.v[k] = load(l->row[k] + x);
	if (!l->more || l->c->chromatic) r.v[RED] = magnified(&l->red, x), r.v[BLUE] = magnified(&l->blue, x);
	if (!l->more || !l->c->glare) return r;
	vi from = INDEX + (x + GLARE_CELL / 2), cell = from / GLARE_CELL;
	vf right = (to_float(from & (GLARE_CELL - 1)) + 0.5f) / (float)GLARE_CELL;
	for (int k = 0; k < 3; k++) {
		vf a = gather(l->glare[k], cell), b = gather(l->glare[k], cell + 1);
		r.v[k] = r.v[k] * l->c->keep + (a + (b - a) * right);
	}
	return r;
}

// average_cells writes the mean light of each cell of an image's planes to the middle of its glare memory. It sums each
// column of a cell from the top first, then the columns from the left.
static void average_cells(const planes *p, int32_t width, int32_t height, float *glare) {
	int cols = (width + GLARE_CELL - 1) / GLARE_CELL, rows = (height + GLARE_CELL - 1) / GLARE_CELL;
	for (int k = 0; k < 3; k++) {
		for (int row = 0; row < rows; row++) {
			int y0 = row * GLARE_CELL, h = height - y0 < GLARE_CELL ? height - y0 : GLARE_CELL;
			float *to = glare + (size_t)(k * (rows + 2) + row + 1) * (size_t)(cols + 2) + 1;
			for (int col = 0; col < cols; col++) {
				int x0 = col * GLARE_CELL, w = width - x0 < GLARE_CELL ? width - x0 : GLARE_CELL;
				float sums[GLARE_CELL] = {0}, sum = 0;
				const float *from = p->plane[k] + (size_t)y0 * p->stride + x0;
				for (int y = 0; y < h; y++, from += p->stride)
					for (int x = 0; x < GLARE_CELL; x++) sums[x] += from[x];
				for (int x = 0; x < w; x++) sum += sums[x];
				to[col] = sum / (float)(w * h);
			}
		}
	}
}

// BLOCK is the number of columns that are interpolated together: three rows of readings fit in the cache.
enum { BLOCK = 1024, MARGIN = LANES };

typedef float line[MARGIN + BLOCK + 2 * LANES];

INLINE int mirrored(int i, int n) { return i < 0 ? 1 : i >= n ? n - 2 : i; }

// read_line computes the readings of row y, columns x0 − 1 to x0 + BLOCK, and stores them from MARGIN − 1 on. The image
// is mirrored at its border.
INLINE void read_line(const chip *c, const planes *p, int width, int height, int x0, int y, float *to, int more) {
	int from = x0 > 0 ? x0 - LANES : 0, end = width < x0 + BLOCK + 1 ? width : x0 + BLOCK + 1;
	y = mirrored(y, height);
	if (c->light) {
		vm even = ieq(INDEX & 1, iset(0)), none = mask_of(0);
		lens l;
		set_lens(&l, c, p, width, height, y, more);
		for (int x = from; x < end; x += LANES)
			store(to + MARGIN + x - x0, mosaic(c, behind_lens(&l, x), in_row(p, width, x, y, more), y & 1 ? none : even,
				y & 1 ? not(even) : none));
	} else {
		memcpy(to + MARGIN + from - x0, p->plane[0] + (size_t)y * p->stride + from, sizeof *to * (size_t)(end - from));
	}
	if (x0 == 0) to[MARGIN - 1] = to[MARGIN + 1];
	if (end == width) to[MARGIN + width - x0] = to[MARGIN + width - 2 - x0];
}

// interpolated returns the colours of the pixels of row y at x, from three lines of readings: their own, and those
// above and below.
INLINE rgb interpolated(const float *up, const float *own, const float *low, int x, int y) {
	vf centre = load(own + x);
	vf beside = load(own + x - 1) + load(own + x + 1), over = load(up + x) + load(low + x);
	vf corners = (load(up + x - 1) + load(up + x + 1)) + (load(low + x - 1) + load(low + x + 1));
	vm green = ieq(INDEX & 1, iset(y & 1 ? 0 : 1));
	// the row's other colour next to green
	vf of_row = select(green, beside * 0.5f, centre), other = select(green, over * 0.5f, corners * 0.25f);
	vf g = select(green, centre, (over + beside) * 0.25f);
	return y & 1 ? (rgb){{other, g, of_row}} : (rgb){{of_row, g, other}};
}

INLINE void develop_rows_of(const chip *c, const planes *p, int32_t width, int32_t height, int32_t y0, int32_t y1,
	uint8_t *pix, int more) {
	line ring[3];
	for (int x0 = 0; x0 < width; x0 += BLOCK) {
		int n = width - x0 < BLOCK ? width - x0 : BLOCK;
		if (c->bayer) {
			read_line(c, p, width, height, x0, y0 - 1, ring[(y0 + 2) % 3], more);
			read_line(c, p, width, height, x0, y0, ring[y0 % 3], more);
		}
		for (int y = y0; y < y1; y++) {
			uint8_t *to = pix + 3 * ((size_t)y * width + x0);
			if (c->bayer) read_line(c, p, width, height, x0, y + 1, ring[(y + 1) % 3], more);
			if (c->bayer) {
				const float *up = ring[(y + 2) % 3] + MARGIN, *own = ring[y % 3] + MARGIN,
					*low = ring[(y + 1) % 3] + MARGIN;
				for (int x = 0; x < n; x += LANES) store_line(to + 3 * x, n - x, interpolated(up, own, low, x, y));
				continue;
			}
			lens l;
			set_lens(&l, c, p, width, height, y, more);
			for (int x = 0; x < n; x += LANES) store_line(to + 3 * x, n - x, readings(c, behind_lens(&l, x0 + x),
				in_row(p, width, x0 + x, y, more)));
		}
	}
}

// develop_rows converts rows of an image from planes to bytes.
static void develop_rows(const chip *c, const planes *p, int32_t width, int32_t height, int32_t y0, int32_t y1,
	uint8_t *pix) {
	if (seldom(c))
		develop_rows_of(c, p, width, height, y0, y1, pix, 1);
	else
		develop_rows_of(c, p, width, height, y0, y1, pix, 0);
}

INLINE void expose_rows_of(const chip *c, const planes *p, int32_t width, int32_t y0, int32_t y1, const float *decoded,
	const float *dirt, uint8_t *pix,
	int more) {
	vm even = ieq(INDEX & 1, iset(0)), none = mask_of(0);
	for (int y = y0; y < y1; y++) {
		for (int x = 0; x < width; x += LANES) {
			int n = width - x < LANES ? width - x : LANES, first = y * width + x;
			uint8_t bytes[3 * LANES + 1] = {0};
			memcpy(bytes, pix + 3 * (size_t)first, 3 * (size_t)n);
			vi code = gather_at(bytes, INDEX * 3);
			site s = in_row(p, width, x, y, more);
			rgb l;
			for (int k = 0; k < 3; k++) l.v[k] = gather(decoded, code >> 8 * k & 255);
			if (dirt) {
				float share[LANES] = {0};
				memcpy(share, dirt + first, sizeof *dirt * (size_t)n);
				for (int k = 0; k < 3; k++) l.v[k] *= load(share);
			}
			size_t to = (size_t)y * p->stride + x;
			if (c->light) {
				for (int k = 0; k < 3; k++) store(p->plane[k] + to, l.v[k]);
			} else if (c->bayer) {
				store(p->plane[0] + to, mosaic(c, l, s, y & 1 ? none : even, y & 1 ? not(even) : none));
			} else {
				store_line(pix + 3 * (size_t)first, n, readings(c, l, s));
			}
		}
	}
}

// expose_rows applies a chip to rows of a finished image: in place, or into planes, from which develop_rows continues.
// decoded is the light of each byte value.
static void expose_rows(const chip *c, const planes *p, int32_t width, int32_t y0, int32_t y1, const float *decoded,
	const float *dirt, uint8_t *pix) {
	if (seldom(c))
		expose_rows_of(c, p, width, y0, y1, decoded, dirt, pix, 1);
	else
		expose_rows_of(c, p, width, y0, y1, decoded, dirt, pix, 0);
}

#endif
