package condition

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// ImageBrightness holds while the brightness of a camera's newest image is above or below a limit. Brightness is the
// mean of all channels of all pixels in sRGB, where 0 is black and 1 is white. The condition does not hold before the
// first image.
type ImageBrightness struct {
	Robot  string   `toml:"robot" required:"true"`
	Sensor string   `toml:"sensor" required:"true" doc:"name of a camera at level raw or ideal"`
	Over   *float64 `toml:"over" range:"[0, 1]" doc:"lower limit of the mean of all sRGB values of the newest image; 1 is white"`
	Under  *float64 `toml:"under" range:"[0, 1]" doc:"upper limit of that mean; 0 is black"`
}

func (c *ImageBrightness) Validate(w World) error {
	return errors.Join(findReporting(w, c.Robot, c.Sensor, abstraction.Level.Rendered, "images", "raw or ideal"),
		bounds(c.Over, c.Under, "over", "under"))
}

func (c *ImageBrightness) Bind(s State) (Test, error) {
	newest := &imageMean{-1}
	s.Keep(newest)
	err := s.Listen(c.Robot, c.Sensor, abstraction.Level.Rendered, func(o *sensors.Observation) {
		if o.Color != nil {
			newest.value = brightness(o.Color)
		}
	})
	level, levelErr := s.Level(c.Robot, c.Sensor)
	lo, hi := limits(c.Over, c.Under)
	return Test{func() bool { return newest.value >= 0 && newest.value > lo && newest.value < hi }, func() string {
		switch {
		case newest.value < 0 && !level().Rendered():
			return fmt.Sprintf("%s.%s is at level %s, which has no images", c.Robot, c.Sensor, level())
		case newest.value < 0:
			return fmt.Sprintf("%s.%s has delivered no image", c.Robot, c.Sensor)
		}
		return fmt.Sprintf("brightness of %s.%s %.3f", c.Robot, c.Sensor, newest.value)
	}}, cmp.Or(err, levelErr)
}

// imageMean is the brightness of the newest image, or −1 before the first image.
type imageMean struct{ value float64 }

func (m *imageMean) Exchange(c *keyframe.Codec) { c.Float(&m.value) }

// brightness returns the mean of an image's values, 0 to 1.
func brightness(image *render.Image) float64 {
	sum := 0
	for _, v := range image.Pix {
		sum += int(v)
	}
	return float64(sum) / (255 * float64(len(image.Pix)))
}

func (c *ImageBrightness) String() string {
	return fmt.Sprintf("brightness of %s.%s%s", c.Robot, c.Sensor, limitsText(c.Over, c.Under, ""))
}
