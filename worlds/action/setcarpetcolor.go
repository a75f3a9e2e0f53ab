package action

import "github.com/omnipitch/omnipitch/render"

// SetCarpetColor changes the carpet's colour in images. The lines on the carpet keep their colour. Levels without
// images are not affected.
type SetCarpetColor struct {
	Color render.Color `toml:"color" required:"true" doc:"colour as #rrggbb, sRGB"`
}

func (c *SetCarpetColor) Validate(World) error { return nil }
func (c *SetCarpetColor) Do(s Simulation) error {
	return violation("color", c.Color, s.PaintCarpet(c.Color))
}
