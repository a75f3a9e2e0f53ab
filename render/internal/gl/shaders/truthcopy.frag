// The planes of ground truth, as they are; see truth.frag.
uniform sampler2DArray surfaces, flows;
uniform usampler2DArray labels;

layout(location = 0) out vec4 surface;
layout(location = 1) out uint label;
layout(location = 2) out vec2 flow;

void main() {
	ivec3 at = source(ivec2(gl_FragCoord.xy), textureSize(surfaces, 0));
	surface = texelFetch(surfaces, at, 0);
	label = texelFetch(labels, at, 0).r;
	flow = texelFetch(flows, at, 0).rg;
}
