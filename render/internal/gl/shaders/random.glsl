// bits are the 32 random bits of an index, as chip.Key's.
uint bits(uvec2 of, uint index) {
	uint h = index ^ of.x;
	h = (h ^ (h >> 17)) * 0xed5ad4bbu;
	h += of.y;
	h = (h ^ (h >> 11)) * 0xac4c1b51u;
	h = (h ^ (h >> 15)) * 0x31848babu;
	return h ^ (h >> 14);
}

// normal is the normal random number of an index.
float normal(uvec2 of, uint index) {
	uint b = bits(of, index), pairs = (b & 0x00ff00ffu) + ((b >> 8) & 0x00ff00ffu);
	precise float s = float((pairs + (pairs >> 16)) & 0x3ffu) - 510.0;
	precise float n = s * (0.006421040612805972 + 5.773954283329995e-09 * (s * s));
	return n;
}

