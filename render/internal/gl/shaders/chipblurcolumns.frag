// The light that the lens scatters to a cell: all blurs, along columns.
uniform sampler2DArray blurredRows; // of each blur
uniform sampler2D columnWeights;    // chip.Glare's Weights

out vec4 scattered;

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	vec3 sum = vec3(0.0);
	for (int blur = 0; blur < BLURS; blur++)
		for (int i = 0; i < chip.size.w; i++)
			sum += texelFetch(columnWeights, ivec2(i, blur * chip.size.w + at.y), 0).r *
				texel(blurredRows, ivec2(blur * chip.size.z + at.x, i)).rgb;
	scattered = vec4(chip.hot.z * sum, 1.0);
}
