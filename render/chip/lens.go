package chip

// magnify scales an image about its centre by 1/scale: each pixel takes its value from the place in its direction whose
// distance from the centre is scale times the pixel's own distance. Interpolation is bilinear, rows first; places
// beyond the border repeat the border.
func magnify(to, from []float32, width, height int, scale float32) {
	middleX, middleY := float32(width-1)/2, float32(height-1)/2
	for y := range height {
		row, down := place(float32(y), middleY, scale, height)
		up, low := from[row*width:(row+1)*width], from[(row+1)*width:(row+2)*width]
		line := to[y*width : (y+1)*width]
		for x := range line {
			col, right := place(float32(x), middleX, scale, width)
			a := up[col] + float32((low[col]-up[col])*down)
			b := up[col+1] + float32((low[col+1]-up[col+1])*down)
			line[x] = a + float32((b-a)*right)
		}
	}
}

// place returns which two neighbours in a line of n pixels a magnified pixel is interpolated from: their indices are at
// and at + 1, and share is the weight of the second.
func place(pixel, middle, scale float32, n int) (at int, share float32) {
	p := max(0, min(float32(n-1), middle+float32(scale*(pixel-middle))))
	at = min(int(p), n-2)
	return at, p - float32(at)
}
