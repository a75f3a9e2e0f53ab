// The ground truth at the centres of pixels, as render.Truth defines it: with BODY of a body, otherwise of floor and
// hall.
#ifdef BODY
in vec3 point, normal; // C
flat in int body;
#endif

#define NAN uintBitsToFloat(0x7fc00000u)
const float NOTHING = 0.0, HALL = 1.0, FLOOR = 2.0, MARK = 3.0, FIRST_BODY = 8.0; // labels, as in package render

// For each view, what its points have moved since Before: first static points, then those of each body. A pose of three
// texels transforms from the optical frame now to that of Before; see raster.Motion.
uniform samplerBuffer motions;
uniform int moving; // number of poses of each view; 0 without Before

layout(location = 0) out vec4 surface; // normal, C; range
layout(location = 1) out vec4 place;   // flow, label

// flow returns the displacement of a point in the image by the pose with an index.
vec2 flow(vec3 p, int index) {
	if (moving == 0) return vec2(0.0);
	int at = 3 * (viewIndex * moving + index);
	vec4 a = texelFetch(motions, at), b = texelFetch(motions, at + 1), c = texelFetch(motions, at + 2);
	vec3 q = vec3(dot(a.xyz, p), dot(vec3(a.w, b.xy), p), dot(vec3(b.zw, c.x), p)) + c.yzw;
	vec4 to = project(q);
	bool imaged = to.w > 0.0;
#ifdef MIRROR
	imaged = imaged && length(q.xy) <= to.w * mirror.z;
#endif
	return imaged ? gl_FragCoord.xy - (to.xy / to.w + 1.0) / range.zw : vec2(NAN);
}

// sees reports whether the optics image the pixel in the direction d.
bool sees(vec3 d) {
#ifdef MIRROR
	return length(gl_FragCoord.xy * lensAt.xy + lensAt.zw) <= mirror.z;
#elif defined(TABLE)
	return !blind;
#else
	return true;
#endif
}

void main() {
	vec3 d = rayW(gl_FragCoord.xy);
#ifdef BODY
	vec3 p = point, n = normal;
#if defined(MIRROR) || defined(TABLE)
	// Curved images show the edges of triangles as straight lines. So the point may lie beside the pixel's ray, which
	// meets the triangle's plane elsewhere.
	vec3 px = dFdx(p), py = dFdy(p), across = cross(px, py), toC = normalize(d * mat3(rotWC));
	vec3 nx = dFdx(n), ny = dFdy(n);
	float near = length(p), square = max(dot(across, across), 1e-30);
	vec3 there = toC * clamp(dot(across, p) / dot(across, toC), 0.8 * near, 1.25 * near), by = there - p;
	vec2 steps = vec2(dot(cross(by, py), across), dot(cross(px, by), across)) / square;
	steps = clamp(steps, -4.0, 4.0);
	n += nx * steps.x + ny * steps.y;
	p = there;
	if (!sees(d)) discard;
#endif
	surface = vec4(normalize(n), length(p));
	place = vec4(flow(p, 1 + body), FIRST_BODY + float(body), 0.0);
#else
	vec2 toWall = toWalls(d), at, px, py;
	float wall = min(toWall.x, toWall.y);
	onFloor(d, at, px, py);
	bool floorHere = meetsFloor(d, wall);
	vec3 p = d * (floorHere ? -eye.z / d.z : wall), n = vec3(0.0, 0.0, 1.0);
	if (!floorHere) n = toWall.x < toWall.y ? vec3(d.x < 0.0 ? 1.0 : -1.0, 0.0, 0.0)
		: vec3(0.0, d.y < 0.0 ? 1.0 : -1.0, 0.0);
	float label = !floorHere ? HALL : marksCover(at, px, py, octaveOf(px, py), 0.0) > 0.5 ? MARK : FLOOR;
	surface = vec4(n * mat3(rotWC), length(p));
	place = vec4(flow(p * mat3(rotWC), 0), label, 0.0);
	if (!sees(d)) {
		surface = vec4(0.0, 0.0, 0.0, 1.0 / 0.0);
		place = vec4(moving == 0 ? vec2(0.0) : vec2(NAN), NOTHING, 0.0);
	}
#endif
}
