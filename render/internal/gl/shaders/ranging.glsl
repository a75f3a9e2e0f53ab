#version 410 core
#extension GL_AMD_vertex_shader_layer : enable
#extension GL_ARB_shader_viewport_layer_array : enable

// How devices measure distances, as package render/chip documents it, for several images at once: each is a layer of all
// textures. The fields are those of chip.RangingNumbers. The word precise keeps compilers from fusing multiplications
// with additions.
struct Device {
	uvec4 random;   // Key; None, Mixed
	vec4 limits;    // Near, Far, Shadow, Step
	vec4 axial;     // three numbers
	vec4 spread;    // Slant, Lateral
	vec4 lens;      // Focal, Centre
	vec4 perFocal;  // two numbers
	ivec4 size;     // columns and rows of the image; Margin; layer
};
layout(std140) uniform Rangings { Device devices[IMAGES]; };
#define LAYER devices[image].size.w
