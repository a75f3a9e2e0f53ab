layout(location = 0) in vec3 posB;
layout(location = 1) in vec3 normalB;
layout(location = 2) in vec4 colorIn; // a: shininess / 255
layout(location = 3) in vec4 color2In; // a: gloss
layout(location = 4) in vec3 posM; // in the mesh's frame; of a net, in its plane

uniform mat4 poseWB;

out vec3 posW;
out vec3 normalW;
flat out vec4 color;
flat out vec4 color2;
#ifdef PATTERN
out vec3 posP;
#endif

void main() {
	posW = (poseWB * vec4(posB, 1.0)).xyz;
	normalW = mat3(poseWB) * normalB;
	color = colorIn;
	color2 = color2In;
#ifdef PATTERN
	posP = posM;
#endif
	gl_Position = project((posW - eyeW.xyz) * mat3(rotWC));
}
