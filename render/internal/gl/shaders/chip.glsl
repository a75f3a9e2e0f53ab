#version 410 core

// The faults of lens and image sensor, as package render/chip documents them. The word precise keeps compilers from
// fusing multiplications with additions.
layout(std140) uniform Chip {
	uvec4 key;          // of the image: two numbers
	uvec4 fixedKeys[2]; // of the sensor, two numbers each: response, dark signal; rows and columns, hot pixels
	vec4 charge;        // as chip.Numbers: Exposure, Shot, Read, Keep
	vec4 gain, lamps;   // as chip.Numbers: red, green, blue
	vec4 fixedPattern;  // as chip.FixedNumbers: Response, Dark, Row, Column
	vec4 hot;           // as chip.FixedNumbers: HotStep, HotCharge; weight of each blur in the scattered light
	vec4 scale;         // as chip.Numbers: red, -, blue
	ivec4 size;         // of the image: columns and rows of pixels, columns and rows of cells
	ivec4 lensFaults;   // which there are: dirt, light above white, chromatic aberration, glare
	ivec4 chipFaults;   // flicker, fixed pattern noise; number of hot pixels in 2^31; sharpening, 1/256
};

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
