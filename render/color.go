package render

import (
	"errors"
	"strconv"

	"github.com/go-gl/mathgl/mgl32"
)

// Color is a reflectance, as an image shows it in white light of amount 1: sRGB, written #rrggbb. Empty means no
// colour.
type Color string

var errColor = errors.New(`must be red, green and blue, two hexadecimal digits each, as in "#ff8000"`)

// Linear returns the reflectance in linear light. It fails if the Color is not of the form #rrggbb.
func (c Color) Linear() (out mgl32.Vec3, err error) {
	if len(c) != len("#rrggbb") || c[0] != '#' {
		return out, errColor
	}
	for i := range out {
		part, err := strconv.ParseUint(string(c[1+2*i:3+2*i]), 16, 8)
		if err != nil {
			return out, errColor
		}
		out[i] = float32(Linear(float64(part) / 255))
	}
	return out, nil
}

// UnmarshalText accepts what Linear accepts.
func (c *Color) UnmarshalText(text []byte) error {
	*c = Color(text)
	_, err := c.Linear()
	return err
}
