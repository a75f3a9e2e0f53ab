// Random numbers of images, by index, as in package render/chip.
#ifndef NOISE_H
#define NOISE_H

#include "lanes.h"

INLINE vu random_bits(const uint32_t key[2], vi index) {
	vu h = (vu)index ^ key[0];
	h = (h ^ h >> 17) * 0xed5ad4bbu;
	h += key[1];
	h = (h ^ h >> 11) * 0xac4c1b51u;
	h = (h ^ h >> 15) * 0x31848babu;
	return h ^ h >> 14;
}

// normal converts random bits to a nearly normal number, from the sum of their bytes.
INLINE vf normal(vu random) {
	vu pairs = (random & 0x00ff00ffu) + (random >> 8 & 0x00ff00ffu);
	vf s = to_float((vi)((pairs + (pairs >> 16)) & 0x3ffu)) - 510.0f;
	return s * (0.006421040612805972f + 5.773954283329995e-09f * (s * s));
}

#endif
