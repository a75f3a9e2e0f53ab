package scenery

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/render"
)

// Shading returns the present light and colours. It returns nil while they are those of the Scene. The returned value
// never changes.
func (s *Scenery) Shading() *render.Shading { return s.shading }

// SetLight sets the light that Shading returns from now on. The light must have as many spots as the light of the
// Scene, and must have shadows if the Scene's light has shadows.
func (s *Scenery) SetLight(l render.Lighting) {
	s.change(func(to *render.Shading) { to.Light = l.Light() })
}

// PaintBall sets the ball's colour that Shading returns from now on. It fails if the colour is invalid.
func (s *Scenery) PaintBall(c render.Color) error {
	linear, err := c.Linear()
	if err == nil {
		s.change(func(to *render.Shading) {
			to.Materials = slices.Clone(to.Materials)
			paintBall(to, linear)
		})
	}
	return err
}

// PaintCarpet sets the carpet's colour that Shading returns from now on. It fails if the colour is invalid.
func (s *Scenery) PaintCarpet(c render.Color) error {
	linear, err := c.Linear()
	if err == nil {
		s.change(func(to *render.Shading) { to.Carpet = linear })
	}
	return err
}

func (s *Scenery) change(change func(*render.Shading)) {
	next := s.Scene.Shading
	if s.shading != nil {
		next = *s.shading
	}
	change(&next)
	s.shading = &next
}

func paintBall(s *render.Shading, linear mgl32.Vec3) { s.Materials[leather].Color = linear }

// Exchange saves or restores the poses of boards, and the light and colours that Shading returns.
func (s *Scenery) Exchange(c *keyframe.Codec) {
	for i := range s.hung {
		c.Pose(&s.hung[i].Pos, &s.hung[i].Rot)
	}
	changed := s.shading != nil
	c.Bool(&changed)
	if c.Restoring() {
		s.shading = nil
	}
	if !changed {
		return
	}
	if c.Restoring() {
		s.shading = s.Scene.Shading.Clone()
	}
	s.shading.Exchange(c)
}
