// The light on a lens from an ideal image, behind the dirt, and with the light above white.
out vec4 lightHere;

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	vec3 shown = texel(picture, at).rgb;
	lightHere = vec4(onLens(at, shown, 0), onLens(at, shown, 1), onLens(at, shown, 2), 1.0);
}
