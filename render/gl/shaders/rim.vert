layout(location = 0) in vec3 at; // x, y: in the unified model's image plane; z: 0 for the tube's inside, 1 for the rim
flat out float metal;
void main() {
	metal = at.z;
	gl_Position = vec4(clip.x * at.x + clip.y, clip.z * at.y + clip.w, -1.0, 1.0);
}
