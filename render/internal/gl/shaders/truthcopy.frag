// The planes of ground truth, as they are; see truth.frag. The framebuffer records those that are wanted.
uniform usampler2DArray labels;
uniform sampler2DArray ranges, normals, flows;

layout(location = 0) out uint label;
layout(location = 1) out float away;
layout(location = 2) out vec4 facing;
layout(location = 3) out vec2 flow;

void main() {
	ivec3 at = source(ivec2(gl_FragCoord.xy), textureSize(labels, 0));
	label = texelFetch(labels, at, 0).r;
	away = texelFetch(ranges, at, 0).r;
	facing = texelFetch(normals, at, 0);
	flow = texelFetch(flows, at, 0).rg;
}
