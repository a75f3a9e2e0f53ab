package optics

// RayMap holds the rays of all pixels of a camera, for ray casting and for software that rectifies or unwarps images.
type RayMap struct {
	Width, Height int
	// Dir holds unit directions in the optical frame, height×width×3, row by row; zero where the optics do not image.
	Dir []float64
	// Origin holds the points where the rays leave the optics, metres, in the same layout; nil if all rays start at the
	// origin of the optical frame.
	Origin []float64
}

// NewRayMap computes the ray of every pixel's centre.
func NewRayMap(m Model) *RayMap {
	w, h := m.Size()
	r := &RayMap{Width: w, Height: h, Dir: make([]float64, 3*w*h)}
	skew, _ := m.(NonCentral)
	if skew != nil {
		r.Origin = make([]float64, 3*w*h)
	}
	for v := range h {
		for u := range w {
			at := 3 * (v*w + u)
			if skew == nil {
				if d, ok := m.Unproject(float64(u), float64(v)); ok {
					copy(r.Dir[at:], d[:])
				}
			} else if o, d, ok := skew.Ray(float64(u), float64(v)); ok {
				copy(r.Dir[at:], d[:])
				copy(r.Origin[at:], o[:])
			}
		}
	}
	return r
}
