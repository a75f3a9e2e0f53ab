layout(location = 0) in vec3 posB;
uniform mat4 poseWB;

// Projection along the lamp's rays onto the floor; depth is height, with the highest nearest.
void main() {
	vec3 p = (poseWB * vec4(posB, 1.0)).xyz;
	vec2 at = (p.xy - p.z * shadow.xy) * floorLight.xy + floorLight.zw;
	gl_Position = vec4(2.0 * at - 1.0, 1.0 - 2.0 * p.z / shadow.z, 1.0);
}
