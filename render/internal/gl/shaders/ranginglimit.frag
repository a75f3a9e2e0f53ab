// The true distances within the limits of a device.
uniform sampler2DArray truth;

out vec4 pixel;

void main() {
	float z = texel(truth, ivec2(gl_FragCoord.xy)).r;
	z = z < device.limits.x ? 0.0 : z > device.limits.y ? uintBitsToFloat(0x7f800000u) : z; // infinite
	pixel = vec4(z, 0.0, 0.0, 1.0);
}
