package action

import "github.com/omnipitch/omnipitch/render"

// SetBallColor paints the ball in images; its black pentagons stay. Vision without images sees it as before.
type SetBallColor struct {
	Color render.Color `toml:"color" required:"true" doc:"as #rrggbb, sRGB"`
}

func (c *SetBallColor) Validate(World) error  { return nil }
func (c *SetBallColor) Do(s Simulation) error { return wrong("color", c.Color, s.PaintBall(c.Color)) }
func (c *SetBallColor) Anytime() bool         { return false }
