layout(location = 0) in vec3 posB;
out float z;

void main() {
	toLayer();
	vec3 p = ((poseWB * vec4(posB, 1.0)).xyz - eyeW.xyz) * mat3(rotWC);
	z = p.z;
	gl_Position = project(p);
}
