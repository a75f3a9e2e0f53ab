package action

import "github.com/omnipitch/omnipitch/render"

// SetBallColor changes the ball's colour in images. The black pentagons of the ball stay black. Levels without images
// are not affected.
type SetBallColor struct {
	Color render.Color `toml:"color" required:"true" doc:"colour as #rrggbb, sRGB"`
}

func (c *SetBallColor) Validate(World) error { return nil }
func (c *SetBallColor) Do(s Simulation) error {
	return violation("color", c.Color, s.PaintBall(c.Color))
}
