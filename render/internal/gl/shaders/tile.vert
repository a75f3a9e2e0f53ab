layout(location = 0) in vec2 pixel;

void main() {
	gl_Position = vec4(pixel * range.zw - 1.0, 1.0, 1.0);
	aim();
}
