layout(location = 0) in vec3 posB;
layout(location = 1) in vec3 normalB;

out vec3 point, normal; // C
flat out int body;

void main() {
	aim();
	point = ((poseWB * vec4(posB, 1.0)).xyz - eyeW.xyz) * mat3(rotWC);
	normal = mat3(poseWB) * normalB * mat3(rotWC);
	body = instance.y;
	gl_Position = project(point);
#ifdef TABLE
	gl_ClipDistance[0] = inTable(point);
#endif
}
