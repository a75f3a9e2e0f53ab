#define chip faults[image]

const int CELL = 16; // as render.CellSize
const int BLURS = 4; // of glare: three Gaussian ones, and an even spread

// encoded is the 8-bit sRGB value of light from 0 to 1, as render.Encode8.
int encoded(float light) {
	precise float q = sqrt(sqrt(light));
	precise float v = -17.377557908901256 * q + 73.83089656252895;
	v = v * q - 147.25806739982556;
	v = v * q + 320.1281048543894;
	v = v * q + 41.31670438470577;
	v = v * q - 15.64175593501447;
	return int((light <= 0.0031308 ? light * 3294.6 : v) + 0.5);
}

// asPixel is three 8-bit values as the colour of a fragment.
vec4 asPixel(ivec3 values) { return vec4(vec3(values) / 255.0, 1.0); }
