in vec2 at;
uniform sampler2DShadow shadowMap;
out vec2 light;

// The fractions of the lamp's and the sky's light that reach the floor. Anything above 5 mm shades it.
void main() {
	float ref = 1.0 - 0.005 / shadow.z;
	vec2 t = vec2(shadow.w, shadow.w * floorLight.y / floorLight.x);
	float sum = 0.0, wide = 0.0;
	for (int i = 0; i < 8; i++) {
		float a = 0.7853982 * float(i) + 0.3;
		vec2 o = vec2(cos(a), sin(a)) * t;
		sum += texture(shadowMap, vec3(at + 1.6 * o, ref));
		wide += texture(shadowMap, vec3(at + 6.0 * o, ref));
	}
	sum = (sum + texture(shadowMap, vec3(at, ref))) / 9.0;
	wide = (wide + sum) / 9.0;
	light = vec2(sum, 0.45 + 0.55 * wide);
}
