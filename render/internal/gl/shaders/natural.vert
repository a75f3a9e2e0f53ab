layout(location = 0) in vec3 posB;
layout(location = 1) in vec3 normalB;
layout(location = 2) in vec4 color;
layout(location = 3) in vec4 color2;
layout(location = 4) in vec3 posM;    // in the mesh's frame; for a net, in its plane; for a texture, its coordinates
layout(location = 5) in vec4 surface; // F0, zero for a matt surface; square root of the roughness
layout(location = 6) in vec4 open;    // as light.Open

uniform sampler3D probes; // for each coefficient, the levels one above the other

out vec3 still;
out vec3 below;   // the part that is missing at the floor; faces may extend to where none is missing
out float height; // 1 where nothing is missing
#ifdef PATTERN
out vec3 posP;
#endif
#if defined(BALL) || defined(TEXTURED)
#define COLORS // more than one per surface
out vec3 ambientLight; // irradiance for the fragment's colour
#endif
#ifdef BALL
flat out vec3 ground;
#endif
#ifdef COLORS
flat out vec3 other; // colour: of pentagons, or of the texture
#endif

// The light at the vertex, as light.Probe.
vec3 probe[9];

void findProbe(vec3 p) {
	float level = clamp((p.z - levels.x) / (levels.y - levels.x), 0.0,
		1.0) + clamp((p.z - levels.y) / (levels.z - levels.y), 0.0, 1.0);
	vec3 at = vec3(p.xy * probeAt.xy + probeAt.zw, (level + 0.5) / 27.0);
	for (int i = 0; i < 9; i++) {
		probe[i] = textureLod(probes, at + vec3(0.0, 0.0, float(i) / 9.0), 0.0).rgb;
	}
}

// received is the irradiance over π of a surface with a normal, as light.Probe.Received, past the body's own parts; w
// is the fraction that is missing at the floor. For a sharper factor than 1 it is the light that the surface reflects
// like a mirror from that direction, as light.Probe.Mirrored.
vec4 received(vec3 n, vec2 sharper) {
	float past = clamp(open.x + dot(open.yzw, n * mat3(poseWB)), 0.0, 1.0);
	vec3 e = probe[0] + sharper.x * (probe[1] * n.x + probe[2] * n.y + probe[3] * n.z) + sharper.y *
		(probe[4] * (n.x * n.y) + probe[5] * (n.y * n.z)
		+ probe[6] * (n.x * n.z) + probe[7] * (n.z * n.z) + probe[8] * (n.x * n.x - n.y * n.y)) + probe[7] *
			((1.0 - sharper.y) / 3.0);
	return vec4(max(e, 0.0) * past, near.x * (0.5 - 0.5 * n.z));
}

// layer is the fraction of light that the surface layer reflects, by the cosine to the normal: Karis's fit of GGX's
// reflection, which exceeds 0 to 1 by a few percent.
vec3 layer(float cosine) {
	float r = surface.w;
	vec4 k = r * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
	float a = min(k.x * k.x, exp2(-9.28 * cosine)) * k.x + k.y;
	return clamp(surface.rgb * (k.z - 1.04 * a) + (1.04 * a + k.w), 0.0, 1.0);
}

void main() {
	toLayer();
	vec3 posW = (poseWB * vec4(posB, 1.0)).xyz;
	vec3 n = normalize(mat3(poseWB) * normalB);
	findProbe(posW);
	height = posW.z * near.y;
	vec4 within = received(n, vec2(1.0));
	still = vec3(0.0);
	below = vec3(0.0);
	if (surface.rgb != vec3(0.0)) {
		vec3 view = normalize(eyeW.xyz - posW);
		float facing = max(dot(n, view), 0.0);
		vec3 up = layer(facing);
		// as light.Sharper
		vec4 mirrored = received(2.0 * facing * n - view, vec2(1.2405, 1.654) * exp(vec2(-1.0, -4.0) * pow(surface.w,
			4.0)));
		within.rgb *= 1.0 - up;
		still = up * mirrored.rgb;
		below = still * mirrored.w;
	}
#ifdef BALL
	ground = color.rgb;
#endif
#ifdef COLORS
	other = color2.rgb;
	ambientLight = within.rgb * (1.0 - within.w * (1.0 - clamp(height, 0.0, 1.0)));
#else
	still += color.rgb * within.rgb;
	below += color.rgb * within.rgb * within.w;
#endif
#ifdef PATTERN
	posP = posM;
#endif
	vec3 posC = (posW - eyeW.xyz) * mat3(rotWC);
	gl_Position = project(posC);
#ifdef TABLE
	gl_ClipDistance[0] = inTable(posC);
#endif
}
