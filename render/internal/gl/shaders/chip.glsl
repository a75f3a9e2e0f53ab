#version 410 core
#extension GL_AMD_vertex_shader_layer : enable
#extension GL_ARB_shader_viewport_layer_array : enable

// The faults of lens and image sensor, as package render/chip documents them, for several images at once: each is a
// layer of all textures. The word precise keeps compilers from fusing multiplications with additions.
struct Faults {
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
	ivec4 place;        // layer
};
layout(std140) uniform Chips { Faults faults[IMAGES]; };
#define LAYER faults[image].place.x
