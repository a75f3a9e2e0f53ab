package render

import (
	"slices"
	"testing"
)

// A renderer takes over numbers alone: what it has compiled or baked stays.
func TestAShadingFitsItsScene(t *testing.T) {
	s := Scene{Shading: Shading{Light: Light{Spots: make([]PointLamp, 2)}, Materials: []Material{{}, {Pattern: SoccerBall}}}}
	for name, c := range map[string]struct {
		change func(*Shading)
		fits   bool
	}{
		"as it is": {func(*Shading) {}, true},
		"numbers": {func(o *Shading) {
			o.Light.Spots[0].PosW[2], o.Light.Sky[1], o.Materials[1].Color[0], o.Carpet[2] = 3, 1, 1, 1
		}, true},
		"a lamp less": {func(o *Shading) { o.Light.Spots = o.Light.Spots[:1] }, false},
		"a material":  {func(o *Shading) { o.Materials = append(o.Materials, Material{}) }, false},
		"a pattern":   {func(o *Shading) { o.Materials[1].Pattern = Plain }, false},
		"no shadows":  {func(o *Shading) { o.Light.Shadowless = true }, false},
	} {
		other := s.Shading
		other.Light.Spots, other.Materials = slices.Clone(other.Light.Spots), slices.Clone(other.Materials)
		c.change(&other)
		if err := s.Accepts(&other); (err == nil) != c.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}
