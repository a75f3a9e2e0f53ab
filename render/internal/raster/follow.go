package raster

import "github.com/omnipitch/omnipitch/render/light"

// Follow makes tilings use the shaded texels of a shadow map's last Draw, instead of the regions that Shade finds.
func (m *LightMap) Follow(s *light.ShadowMap) {
	if m.shadowMap != s {
		m.shadowMap, m.Width, m.Height, m.Place = s, s.Width, s.Height, s.Place
		m.staticShaded = Shaded{}
		for y := range s.Height {
			for x := range s.Width {
				if i := 2 * (y*s.Width + x); s.Still[i]&s.Still[i+1] != 255 {
					m.staticShaded.addTexels(m, light.Rect{X0: x, Y0: y, X1: x + 1, Y1: y + 1})
				}
			}
		}
	}
	m.Shaded = m.staticShaded
	for _, r := range s.Cast {
		m.Shaded.addTexels(m, r)
	}
}

// addTexels marks the area of a rectangle of texels, extended by half a texel for interpolation.
func (s *Shaded) addTexels(m *LightMap, r light.Rect) {
	w, h := float64(m.Width), float64(m.Height)
	s.add([2]float64{(float64(r.X0) - 0.5) / w, (float64(r.Y0) - 0.5) / h}, [2]float64{(float64(r.X1) + 0.5) / w,
		(float64(r.Y1) + 0.5) / h})
}
