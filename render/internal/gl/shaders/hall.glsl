#ifdef NATURAL
// Walls and ceiling of a hall with natural light. A pixel's footprint on them follows from its ray's direction d and
// the differences dx and dy to the directions of the next pixels.
uniform sampler2D irradiance;
uniform sampler2D crowdMap;

// stripCover is the fraction of a footprint around x that lies within ±reach. The footprint is a parallelogram whose
// two sides extend sides.x and sides.y along x. The distribution along x is the convolution of two boxes, and its
// integral consists of parabolas.
float stripCover(float x, float reach, vec2 sides) {
	sides = abs(sides);
	sides = max(sides, vec2((sides.x + sides.y) / 16.0 + 1e-5));
	float middle = (sides.x + sides.y) / 2.0, level = (sides.x - sides.y) / 2.0;
	vec2 at = clamp(vec2(x + reach, x - reach), -middle, middle);
	vec2 all = at + middle, rise = max(at + level, 0.0), fall = max(at - level, 0.0);
	vec2 upTo = all * all - rise * rise - fall * fall;
	return (upTo.x - upTo.y) / (2.0 * sides.x * sides.y);
}

// rowCover is the fraction of such a footprint around x that the strips of a row cover.
float rowCover(vec4 row, float x, vec2 sides) {
	x -= row.x;
	x -= clamp(floor(x / row.y + 0.5), 0.0, row.w) * row.y;
	return stripCover(x, row.z, sides);
}

vec3 wallRadiance(vec3 d, vec3 dx, vec3 dy, vec2 toWall) {
	bool side = toWall.x < toWall.y;
	float t = side ? toWall.x : toWall.y;
	vec3 p = eye + d * t;
	vec3 stepX = t * (dx - d * (side ? dx.x / d.x : dx.y / d.y)),
		stepY = t * (dy - d * (side ? dy.x / d.x : dy.y / d.y));
	float along = side ? p.y : p.x, back = side ? d.x : d.y;
	float index = (side ? 0.0 : 2.0) + (back > 0.0 ? 1.0 : 0.0);
	vec2 at = vec2(along * (side ? wallAt.x : wallAt.y) + wallAt.z + index * gridStep.y, p.z * gridStep.w + wallAt.w);
	vec3 color = wall.rgb;
#ifdef CROWD
	// Each wall starts at another column of the picture.
	float column = side ? sign(d.x) * (p.y + 37.0) : sign(d.y) * (11.0 - p.x);
	float size = side ? max(abs(stepX.y), abs(stepY.y)) : max(abs(stepX.x), abs(stepY.x));
	size = max(size, max(abs(stepX.z), abs(stepY.z)));
	color = textureLod(crowdMap, vec2(column * crowd.x, 1.0 - p.z / gridStep.z), log2(max(size * crowd.y, 1e-6))).rgb;
#endif
	float cover = rowCover(side ? windowRows[0] : windowRows[1], along, side ? vec2(stepX.y, stepY.y)
		: vec2(stepX.x, stepY.x));
	cover *= stripCover(p.z - wall.w, windows.w, vec2(stepX.z, stepY.z));
	return color * textureLod(irradiance, at, 0.0).rgb + windows.rgb * cover;
}

vec3 ceilingRadiance(vec3 d, vec3 dx, vec3 dy) {
	float t = (gridStep.z - eye.z) / d.z;
	vec2 p = eye.xy + d.xy * t;
	vec2 stepX = t * (dx.xy - d.xy * (dx.z / d.z)), stepY = t * (dy.xy - d.xy * (dy.z / d.z));
	vec2 at = p * gridAt.xy + gridAt.zw + vec2(3.0 * gridStep.x, 0.0);
	float cover = rowCover(panelRows[0], p.x, vec2(stepX.x, stepY.x)) * rowCover(panelRows[1], p.y,
		vec2(stepX.y, stepY.y));
	return ceiling.rgb * textureLod(irradiance, at, 0.0).rgb + panels.rgb * cover;
}

// hallRadiance is the light along a ray that meets no floor.
vec3 hallRadiance(vec3 d, vec3 dx, vec3 dy, vec2 toWall) {
	return eye.z + d.z * min(toWall.x, toWall.y) < gridStep.z ? wallRadiance(d, dx, dy, toWall)
		: ceilingRadiance(d, dx, dy);
}
#endif
