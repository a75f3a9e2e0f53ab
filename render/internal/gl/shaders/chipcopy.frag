// The 8-bit values as they are.
uniform sampler2DArray values;

out vec4 pixel;

void main() { pixel = texel(values, ivec2(gl_FragCoord.xy)); }
