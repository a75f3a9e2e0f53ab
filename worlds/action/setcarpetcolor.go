package action

import "github.com/omnipitch/omnipitch/render"

// SetCarpetColor paints the carpet in images; its lines stay. Vision without images sees them as before.
type SetCarpetColor struct {
	Color render.Color `toml:"color" required:"true" doc:"as #rrggbb, sRGB"`
}

func (c *SetCarpetColor) Validate(World) error { return nil }
func (c *SetCarpetColor) Do(s Simulation) error {
	return wrong("color", c.Color, s.PaintCarpet(c.Color))
}
func (c *SetCarpetColor) Anytime() bool { return false }
