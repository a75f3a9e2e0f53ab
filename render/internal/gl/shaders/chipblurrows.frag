// The cells' light after each blur along rows; the results of the blurs are side by side.
uniform sampler2DArray cells;
uniform sampler2D rowWeights; // chip.Glare's Weights

out vec4 blurred;

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	vec3 sum = vec3(0.0);
	for (int i = 0; i < chip.size.z; i++)
		sum += texelFetch(rowWeights, ivec2(i, at.x), 0).r * texel(cells, ivec2(i, at.y)).rgb;
	blurred = vec4(sum, 1.0);
}
