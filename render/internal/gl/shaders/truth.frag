// The ground truth at the centres of pixels, as render.Truth defines it: with BODY of a body, otherwise of floor and
// hall.
#ifdef BODY
in vec3 point, normal; // C
flat in int body;
#endif

#define NAN uintBitsToFloat(0x7fc00000u)
const uint NOTHING = 0u, HALL = 1u, FLOOR = 2u, MARK = 3u, FIRST_BODY = 8u; // labels, as in package render

// For each view, what its points have moved since Before: first static points, then those of each body. A pose of three
// texels transforms from the optical frame now to that of Before; see raster.Motion.
uniform samplerBuffer motions;
uniform int moving; // number of poses of each view; 0 without Before

// the framebuffer records those that are wanted
layout(location = 0) out uint label;
layout(location = 1) out float away;
layout(location = 2) out vec4 facing; // C
layout(location = 3) out vec2 flow;

// Bounds for curved images of triangles that the camera sees almost from the side, or that are narrower than a pixel:
// rounding decides where their planes are, so that range may be off by a quarter. In broken-camera, STEPS bounds 1.4 %
// of the pixels of bodies in a mirror's image, and the others none.
const float NEAREST = 0.8, FARTHEST = 1.25; // range relative to that of the point on the straight-sided triangle
const float STEPS = 4.0;                    // pixels over which a normal is extrapolated
const float SMALLEST = 1e-30;               // squared area, so that nothing is divided by 0

// flowOf returns the displacement of a point in the image by the pose with an index.
vec2 flowOf(vec3 p, int index) {
	vec2 moved = vec2(NAN);
	for (int once = 0; once < 1 && moving > 0; once++) {
		int at = 3 * (viewIndex * moving + index);
		vec4 a = texelFetch(motions, at), b = texelFetch(motions, at + 1), c = texelFetch(motions, at + 2);
		vec3 q = vec3(dot(a.xyz, p), dot(vec3(a.w, b.xy), p), dot(vec3(b.zw, c.x), p)) + c.yzw;
		vec4 to = project(q);
		bool imaged = to.w > 0.0;
#ifdef MIRROR
		imaged = imaged && length(q.xy) <= to.w * mirror.z;
#endif
		if (imaged) moved = gl_FragCoord.xy - (to.xy / to.w + 1.0) / range.zw;
	}
	return moved;
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
	float near = length(p), square = max(dot(across, across), SMALLEST);
	float along = dot(across, p) / dot(across, toC);
	along = along > NEAREST * near ? min(along, FARTHEST * near) : NEAREST * near; // also if it is NaN
	vec3 there = toC * along, by = there - p;
	vec2 steps = vec2(dot(cross(by, py), across), dot(cross(px, by), across)) / square;
	steps = clamp(steps, -STEPS, STEPS);
	n += nx * steps.x + ny * steps.y;
	p = there;
	if (!sees(d)) discard;
#endif
	away = length(p);
	facing = vec4(normalize(n), 0.0);
	label = FIRST_BODY + uint(body);
	flow = flowOf(p, 1 + body);
#else
	vec2 toWall = toWalls(d), at, px, py;
	float wall = min(toWall.x, toWall.y);
	bool imaged = sees(d), floorHere = imaged && meetsFloor(d, wall);
	onFloor(d, at, px, py);
	away = 1.0 / 0.0;
	facing = vec4(0.0);
	label = NOTHING;
	flow = vec2(NAN);
	// Loops, as in floor.frag.
	for (int once = 0; once < 1 && imaged; once++) {
		vec3 p = d * (floorHere ? -eye.z / d.z : wall) * mat3(rotWC);
		vec3 n = toWall.x < toWall.y ? vec3(d.x < 0.0 ? 1.0 : -1.0, 0.0, 0.0) : vec3(0.0, d.y < 0.0 ? 1.0 : -1.0, 0.0);
		away = length(p);
		facing = vec4((floorHere ? vec3(0.0, 0.0, 1.0) : n) * mat3(rotWC), 0.0);
		label = HALL;
		flow = flowOf(p, 0);
	}
	for (int once = 0; once < 1 && floorHere; once++) {
		label = marksCover(at, px, py, octaveOf(px, py), 0.0) > 0.5 ? MARK : FLOOR;
	}
#endif
}
