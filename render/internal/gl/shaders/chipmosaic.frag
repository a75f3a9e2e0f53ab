// The colours of a mosaic's pixels: means of the nearest readings of each colour.
uniform sampler2DArray readings;

out vec4 pixel;

// at mirrors the image at its border.
float at(ivec2 p) {
	p = abs(p);
	return texel(readings, chip.size.xy - 1 - abs(chip.size.xy - 1 - p)).r;
}

void main() {
	ivec2 p = ivec2(gl_FragCoord.xy);
	const ivec2 right = ivec2(1, 0), down = ivec2(0, 1);
	precise float own = at(p), beside = at(p - right) + at(p + right), over = at(p - down) + at(p + down);
	precise float corners = (at(p - down - right) + at(p - down + right)) + (at(p + down - right) +
		at(p + down + right));
	bool green = ((p.x ^ p.y) & 1) == 1;
	precise float ofRow = green ? beside / 2.0 : own, other = green ? over / 2.0 : corners / 4.0;
	precise float middle = green ? own : (over + beside) / 4.0;
	bool bottom = (p.y & 1) == 1; // a row of green and blue
	pixel = asPixel(ivec3(encoded(bottom ? other : ofRow), encoded(middle), encoded(bottom ? ofRow : other)));
}
