flat in int image, layer;

// texel is a texel of the image's layer.
vec4 texel(sampler2DArray of, ivec2 at) { return texelFetch(of, ivec3(at, layer), 0); }

