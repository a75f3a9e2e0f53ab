layout(location = 0) in vec3 posB;
layout(location = 1) in vec3 normalB;
layout(location = 2) in vec4 color;  // a: shininess / 255
layout(location = 3) in vec4 color2; // a: gloss
layout(location = 4) in vec3 posM;   // in the mesh's frame; for a net, in its plane; for a texture, its coordinates


// Light is computed here, at the corners, since meshes are fine where they are round. Fragments only add it up.
out vec3 still;  // light that no shadow removes
out vec3 direct; // light of the lamp
out vec3 shadeAt; // position in the lamp's map of heights, and the height to compare
#ifdef PATTERN
out vec3 posP;
#endif
#if defined(BALL) || defined(TEXTURED)
#define COLORS // more than one per surface
out vec3 ambientLight, lampLight; // irradiance for the fragment's colour
#endif
#ifdef BALL
flat out vec3 ground;
#endif
#ifdef COLORS
flat out vec3 other; // colour: of pentagons, or of the texture
#endif

void main() {
	toLayer();
	vec3 posW = (poseWB * vec4(posB, 1.0)).xyz;
	vec3 n = normalize(mat3(poseWB) * normalB);
	vec3 view = normalize(eyeW.xyz - posW);
	float gloss = color2.a, shininess = color.a * 255.0;
	// Near the floor, below render.NearFloor, less of the hall's light arrives.
	vec3 around = ambient(n) * (0.55 + 0.45 * clamp(posW.z * 4.0, 0.0, 1.0)) * (1.0 - gloss);
#ifdef SPOTS
	around += nearby(posW, n) * (1.0 - gloss);
#endif
	vec3 diffuse = lamp.rgb * max(dot(n, toLamp.xyz), 0.0);
	// Graphics cards compute NaN for pow(0, 0) and for negative bases. Highlight of the lamp, and the surroundings in
	// the mirror direction: carpet below, hall above.
	vec3 r = reflect(-view, n);
	float fresnel = gloss + (1.0 - gloss) * 0.25 * gloss * pow(clamp(1.0 - dot(n, view), 0.0, 1.0), 5.0);
	vec3 mirrored = mix(carpet.rgb * (lamp.rgb * toLamp.z + sky.rgb), mix(hallWall.rgb, background.rgb,
		clamp(r.z, 0.0, 1.0)), smoothstep(-0.05, 0.05, r.z));
	float highlight = fresnel * pow(max(dot(n, normalize(view + toLamp.xyz)), 1e-6),
		shininess) * (shininess + 8.0) / 25.0;
	still = fresnel * mirrored;
	direct = diffuse * highlight;
	diffuse *= 1.0 - gloss;
#ifdef BALL
	ground = color.rgb;
#endif
#ifdef COLORS
	other = color2.rgb;
	ambientLight = around;
	lampLight = diffuse;
#else
	still += color.rgb * around;
	direct += color.rgb * diffuse;
#endif
#ifdef SHADOWLESS
	still += direct;
#ifdef COLORS
	ambientLight += lampLight;
#endif
#endif
	// Compare slightly in front of the surface, so that it does not shade itself.
	vec3 p = posW + 0.014 * n;
	shadeAt = vec3((p.xy - p.z * shadow.xy) * floorLight.xy + floorLight.zw, 1.0 - (p.z + 0.014) / shadow.z);
#ifdef PATTERN
	posP = posM;
#endif
	vec3 posC = (posW - eyeW.xyz) * mat3(rotWC);
	gl_Position = project(posC);
#ifdef TABLE
	gl_ClipDistance[0] = inTable(posC);
#endif
}
