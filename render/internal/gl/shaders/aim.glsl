// Inputs of a fragment's ray that are the same for a whole view. CPU rasterisers look up a uniform for each group of
// pixels, which takes ten times as long as reading a flat varying.
flat out vec3 rayColumn, rayRow, rayFirst; // direction of rays in the world: per column, per row, and at (0, 0)
flat out vec3 rayRest, eye;
flat out vec4 lensAt;  // scale and offset of x and y to the real camera's image plane
flat out vec4 bending; // of a mirror: xi, 1 - xi², the square of the real camera's scale; amount of vignetting
flat out vec2 hallHalf; // half sizes of the hall
flat out vec3 fullLight; // on the unshaded floor
#ifdef NATURAL
flat out vec4 floorGrid; // Natural.gridAt, and the first component of gridStep
flat out float floorGridStep;
#endif

void aim() {
	toLayer();
#ifdef NATURAL
	floorGrid = gridAt;
	floorGridStep = gridStep.x;
#endif
	eye = eyeW.xyz;
	hallHalf = carpetHalf.zw;
	lensAt = vec4(lens.xy, -lens.zw * lens.xy);
	bending = vec4(0.0, 0.0, 1.0, eyeW.w);
	rayRest = vec3(0.0);
	fullLight = sky.rgb + lamp.rgb * toLamp.z;
#ifdef TABLE
	rayColumn = rotWC[0].xyz;
	rayRow = rotWC[1].xyz;
	rayFirst = rotWC[2].xyz;
#else
#ifdef MIRROR
	lensAt *= mirror.y;
	float axis = -1.0;
	bending.xyz = vec3(mirror.x, 1.0 - mirror.x * mirror.x, 1.0 / (mirror.y * mirror.y));
	rayRest = mirror.x * rotWC[2].xyz;
#else
	float axis = 1.0;
#endif
	rayColumn = rotWC[0].xyz * lensAt.x;
	rayRow = rotWC[1].xyz * lensAt.y;
	rayFirst = rotWC[0].xyz * lensAt.z + rotWC[1].xyz * lensAt.w + axis * rotWC[2].xyz;
#endif
}
