// How many pixels an outline reaches at a pixel; -1 where there is none.
uniform sampler2DArray truth;

out vec4 pixel;

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	precise float reach = 2.5 * lateral(most(truthAt(truth, at), 0.1));
	pixel = vec4(outlined(truth, at) ? ceil(least(reach, float(LONGEST))) : -1.0, 0.0, 0.0, 1.0);
}
