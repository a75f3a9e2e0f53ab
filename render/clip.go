package render

// ClipLine clips the straight line from a to b to a rectangle, all in pixels. It moves a and b to the ends of the part
// of the line that is inside, and returns false if no part is inside. Source: Liang and Barsky (1984).
func ClipLine(a, b *[2]float64, low, high [2]float64) bool {
	t0, t1 := 0.0, 1.0
	from := *a
	var d [2]float64
	for i := range d {
		d[i] = b[i] - from[i]
		for _, edge := range [2][2]float64{{-d[i], from[i] - low[i]}, {d[i], high[i] - from[i]}} {
			switch along, room := edge[0], edge[1]; {
			case along == 0:
				if !(room >= 0) {
					return false
				}
			case along < 0:
				t0 = max(t0, room/along)
			default:
				t1 = min(t1, room/along)
			}
		}
	}
	if !(t0 <= t1) {
		return false
	}
	for i := range d {
		a[i], b[i] = from[i]+t0*d[i], from[i]+t1*d[i]
	}
	return true
}
