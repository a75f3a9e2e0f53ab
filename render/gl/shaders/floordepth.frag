out float pixel;
void main() {
	vec3 d = rayW(gl_FragCoord.xy);
	float t = -eyeW.z / d.z; // along a ray of length 1 along the axis, this is Z
	vec2 p = abs(eyeW.xy + d.xy * t);
	pixel = t > 0.0 && all(lessThan(p, carpetHalf.zw)) ? t : 1.0 / 0.0;
}
