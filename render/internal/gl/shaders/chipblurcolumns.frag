// The light that the lens scatters to a cell: all blurs, along columns.
uniform sampler2D blurredRows;
uniform sampler2D columnWeights; // chip.Glare's Weights

out vec4 scattered;

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	vec3 sum = vec3(0.0);
	for (int blur = 0; blur < BLURS; blur++)
		for (int i = 0; i < size.w; i++)
			sum += texelFetch(columnWeights, ivec2(i, blur * size.w + at.y), 0).r *
				texelFetch(blurredRows, ivec2(blur * size.z + at.x, i), 0).rgb;
	scattered = vec4(hot.z * sum, 1.0);
}
