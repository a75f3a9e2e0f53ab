layout(location = 0) in vec2 corner; // in the light map, 0…1
out vec2 at;
void main() {
	at = corner;
	gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}
