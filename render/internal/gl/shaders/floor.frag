// Everything except bodies: carpet, markings, hall; and over it the result of the bodies' pass. Drawn tile by tile. The
// definitions say what is known about a tile: with CARPET it shows only carpet, with LIT no shadow, with UNMARKED no
// markings, with HALL no floor. With BODIES it may show bodies.

const float WEAR_SCALE = 0.021; // as render.WearRepeats
const float NOISE_SIZE = 256.0, NOISE_SCALE = 0.61; // as render.GrainSize, render.GrainRepeats

uniform sampler2D noise;
uniform sampler2D floorLightMap;
#ifdef NATURAL
flat in vec4 floorGrid;
flat in float floorGridStep;
#else
uniform sampler2D crowdMap;
#endif
#ifdef TRACES
uniform sampler2D tracesMap; // as render.Traces
#endif
#ifdef IMAGE
uniform sampler2D imageMap;
#endif
// radiance times coverage of each sample
#ifdef LAYERS
uniform sampler2DMSArray bodies;
#define AT ivec3(gl_FragCoord.xy, viewIndex)
#else
uniform sampler2DMS bodies;
#define AT ivec2(gl_FragCoord.xy)
#endif

layout(location = 0) out vec4 pixel;
layout(location = 1) out vec4 above; // light above white, if the framebuffer records it

vec3 paint(vec3 albedo, float grain, float cover) { return albedo * (1.0 + mix(0.35, 0.12, cover) * grain); }

#ifndef HALL
// floorRadiance is the light of the floor at p for a pixel with the footprint (px, py), by the squared cosine to the
// normal.
vec3 floorRadiance(vec2 p, vec2 px, vec2 py, float cosine2) {
	float cover = 0.0;
	float octave = octaveOf(px, py);
	float grain = textureLod(noise, p * NOISE_SCALE, octave + log2(NOISE_SIZE * NOISE_SCALE)).r - 0.5;
#ifdef IMAGE
	vec3 ground = imageTint.rgb * textureMean(imageMap, p * floorImage.xy + floorImage.zw, px * floorImage.xy,
		py * floorImage.xy);
#else
	vec3 ground = carpet.rgb;
#endif
#ifdef UNMARKED
	vec3 albedo = paint(ground, grain, 0.0);
#else
#ifdef TRACES
	vec3 tape = textureLod(tracesMap, p * traces.x + 0.5, octave + log2(traces.z)).gba;
	float shift = (tape.b - 128.0 / 255.0) * (0.008 * 255.0 / 127.0); // as render.ShiftReach
	float there = clamp((tape.g - 0.5) * clamp(exp2(-octave) / traces.z, 1.0, 6.0) + 0.5, 0.0, 1.0);
#else
	const float shift = 0.0;
#endif
	cover = marksCover(p, px, py, octave, shift);
	vec3 color = line.rgb;
#ifdef TRACES
	cover *= there;
	color *= tape.r;
#endif
	vec3 albedo = paint(mix(ground, color, cover), grain, cover);
#endif
#ifdef SHEEN
	vec2 rise = sheen.xy / (cosine2 + sheenNear.xy);
	albedo = mix(albedo, sheenTint.rgb, (rise.x + rise.y + sheen.z) * (1.0 - cover));
#endif
#ifdef SEAMS
	float roll = p.y * seams.x;
	albedo *= 1.0 - seams.w * (1.0 - cover) * band((roll - floor(roll) - 0.5) * seams.y, seams.z,
		min(abs(px.y) + abs(py.y) + 1e-5, seams.y));
#endif
#ifdef TRACES
	albedo *= textureLod(tracesMap, p * traces.x + 0.5, 0.0).r;
#endif
#ifdef WEAR
	albedo *= 1.0 - crowd.z * smoothstep(0.35, 0.65, textureLod(noise, p * WEAR_SCALE, 0.0).r);
#endif
#ifndef CARPET
	float carpetCover = band(p.x, carpetHalf.x, abs(px.x) + abs(py.x) + 1e-5) * band(p.y, carpetHalf.y,
		abs(px.y) + abs(py.y) + 1e-5);
	albedo = mix(hallFloor.rgb * (1.0 + 0.08 * grain), albedo, carpetCover);
#endif
#ifdef NATURAL
	vec2 at = p * floorGrid.xy + floorGrid.zw;
#ifdef LIT
	vec3 light = textureLod(irradiance, at + vec2(2.0 * floorGridStep, 0.0), 0.0).rgb;
#else
	vec2 share = textureLod(floorLightMap, p * floorLight.xy + floorLight.zw, 0.0).rg;
	vec3 light = share.r * textureLod(irradiance, at, 0.0).rgb + share.g * textureLod(irradiance,
		at + vec2(floorGridStep, 0.0), 0.0).rgb;
#endif
#else
#ifdef LIT
	vec3 light = fullLight;
#ifdef SPOTS
	light += nearby(vec3(p, 0.0), vec3(0.0, 0.0, 1.0));
#endif
#else
	vec2 share = textureLod(floorLightMap, p * floorLight.xy + floorLight.zw, 0.0).rg;
	vec3 around = sky.rgb;
#ifdef SPOTS
	around += nearby(vec3(p, 0.0), vec3(0.0, 0.0, 1.0));
#endif
	vec3 light = around * share.g + lamp.rgb * (toLamp.z * share.r);
#endif
#endif
	return albedo * light;
}
#endif

void main() {
	vec3 d = rayW(gl_FragCoord.xy);
	vec4 body = vec4(0.0);
#ifdef BODIES
	for (int i = 0; i < 4; i++) {
		body += 0.25 * texelFetch(bodies, AT, i);
	}
#endif
	vec3 radiance = vec3(0.0);
	bool floorHere = body.a < 1.0;
#ifndef CARPET
	// The hall's walls end at its ceiling; they become brighter towards it.
	vec2 toWall = toWalls(d);
#ifdef NATURAL
	floorHere = floorHere && meetsFloor(d, min(toWall.x, toWall.y));
	vec3 dx = dFdx(d), dy = dFdy(d);
#ifdef TABLE
	float seen = blind ? 0.0 : 1.0; // a blind neighbour does not widen the footprint
	dx *= 1.0 - abs(dFdx(seen));
	dy *= 1.0 - abs(dFdy(seen));
#endif
#ifdef HALL
	floorHere = false;
#endif
	for (int once = 0; once < 1 && !floorHere && body.a < 1.0; once++) {
		radiance = hallRadiance(d, dx, dy, toWall);
	}
#else
	float wall = min(toWall.x, toWall.y);
	float height = (eye.z + d.z * wall) / max(hallWall.w, 1e-3);
	vec3 wallLight = hallWall.rgb * (0.75 + 0.5 * height);
#ifdef CROWD
	vec3 at = eye + d * wall;
	bool side = toWall.x < toWall.y; // each wall starts at another column of the picture
	float along = side ? sign(d.x) * (at.y + 37.0) : sign(d.y) * (11.0 - at.x);
	float size = max(max(abs(dFdx(along)), abs(dFdy(along))), max(abs(dFdx(at.z)), abs(dFdy(at.z))));
	wallLight *= textureLod(crowdMap, vec2(along * crowd.x, 1.0 - height), log2(max(size * crowd.y, 1e-6))).rgb / 0.35;
#endif
	radiance = hallWall.w > 0.0 && height < 1.0 ? wallLight : background.rgb;
	floorHere = floorHere && meetsFloor(d, wall);
#endif
#endif
#ifndef HALL
	vec2 p, px, py;
	onFloor(d, p, px, py);
	// A loop, because the rasteriser skips a loop that no pixel of a group enters, but executes both sides of an if.
	for (int once = 0; once < 1 && floorHere; once++) {
		radiance = floorRadiance(p, px, py, d.z * d.z / dot(d, d));
	}
#endif
	radiance = (radiance * (1.0 - body.a) + body.rgb) * vignette(gl_FragCoord.xy);
#ifndef CARPET
	radiance = edged(radiance);
#endif
	pixel = vec4(radiance, 1.0);
	above = vec4(max(radiance - 1.0, 0.0), 1.0);
}
