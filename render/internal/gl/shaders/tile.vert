#ifndef LAYERS
layout(location = 0) in vec2 pixel;
#endif

void main() {
	aim();
#ifdef LAYERS
	vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0); // of the whole image
#else
	vec2 corner = pixel * range.zw - 1.0;
#endif
	gl_Position = vec4(corner, 1.0, 1.0);
}
