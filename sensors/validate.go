package sensors

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Validate reports every violation of a complete configuration.
func (c *Config) Validate() error {
	errs := []error{schema.Check(c)}
	violate := func(key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Key: key, Value: value, Rule: rule})
	}
	if !c.Level.In(c.Kind.Levels()) {
		violate("level", string(c.Level), fmt.Sprintf("must be one of %v for kind %s", c.Kind.Levels(), c.Kind))
	}
	if names := ProfileNames(c.Kind); c.Profile != "" && !slices.Contains(names, c.Profile) {
		violate("profile", c.Profile, fmt.Sprintf("must be one of %s for kind %s", strings.Join(names, ", "), c.Kind))
	}
	for _, part := range []struct {
		key    string
		there  bool
		needed bool // by all of the kinds
		kinds  []Kind
	}{
		{"image", c.Image != nil, true, []Kind{OmniKind, CameraKind, KinectKind}},
		{"lens", c.Lens != nil, false, []Kind{CameraKind}},
		{"mirror", c.Mirror != nil, true, []Kind{OmniKind}},
		{"imager", c.Imager != nil, true, []Kind{OmniKind, CameraKind, KinectKind}},
		{"shutter", c.Shutter != nil, false, []Kind{OmniKind, CameraKind, KinectKind}},
		{"head", c.Head != nil, false, []Kind{CameraKind, KinectKind}},
		{"focus", c.Focus != nil, false, []Kind{CameraKind, KinectKind}},
		{"ranging", c.Ranging != nil, true, []Kind{KinectKind}},
		{"vision", c.Vision != nil, true, []Kind{OmniKind, CameraKind, KinectKind}},
		{"encoders", c.Wheels != nil, true, []Kind{"odometry"}},
		{"inertial", c.Inertia != nil, true, []Kind{"imu"}},
		{"laser", c.Laser != nil, true, []Kind{"laser"}},
		{"compass", c.Compass != nil, true, []Kind{"compass"}},
		{"displacement", c.Arms != nil, true, []Kind{"arms"}},
		{"switches", c.Bumper != nil, true, []Kind{"bumper"}},
		{"gauge", c.Gauge != nil, true, []Kind{"battery"}},
	} {
		switch belongs := slices.Contains(part.kinds, c.Kind); {
		case part.there && !belongs:
			violate(part.key, "table", "does not belong to a sensor of kind "+string(c.Kind))
		case !part.there && belongs && part.needed: // of a configuration that was made in Go: Complete fills it in
			violate(part.key, nil, "must be given for kind "+string(c.Kind))
		}
	}
	if c.Head != nil && !c.Head.limits() {
		violate("head", "table", "must start within its limits")
	}
	if c.Annotate && !slices.Contains([]Kind{CameraKind, OmniKind, KinectKind}, c.Kind) {
		violate("ground_truth", true, "does not belong to a sensor of kind "+string(c.Kind))
	}
	if c.Vision != nil {
		c.Vision.Validate(func(key string, value any, rule string) { violate("vision."+key, value, rule) })
	}
	if c.Laser != nil {
		c.Laser.validate(violate)
	}
	if c.Ranging != nil && c.Ranging.Min >= c.Ranging.Max {
		violate("ranging.max_m", c.Ranging.Max, "must be larger than min_m")
	}
	if c.Ranging != nil && c.Ranging.Flying+c.Ranging.Dropout > 1 {
		violate("ranging.dropout", c.Ranging.Dropout, "must not exceed 1 together with flying_pixels")
	}
	if c.Image != nil && c.Image.FOV > imaging.WidestPlain && c.Lens.Plain() {
		violate("image.fov_deg", c.Image.FOV/spatial.Degree, "must be at most 160 for a lens that is no fisheye")
	}
	if c.Image != nil {
		samples, key := imaging.Exposure{Shutter: c.Shutter, Focus: c.Focus}.Count(), "image.width_px"
		if c.Focus != nil {
			key = "focus.samples"
		}
		if c.Shutter != nil && c.Shutter.Exposure+c.Shutter.Readout > 0 {
			key = "shutter.samples"
		}
		if pixels := float64(samples) * float64(c.Image.Width) * float64(c.Image.Height); pixels > imaging.MaxDrawn {
			violate(key, nil, fmt.Sprintf("one picture is made of %d of %d × %d pixels: must be at most %d pixels together", samples, c.Image.Width, c.Image.Height, imaging.MaxDrawn))
		}
	}
	if c.Lens != nil && c.Image != nil {
		if _, err := c.Lens.Camera(c.Image); err != nil {
			violate("lens", "table", err.Error())
		}
	}
	if c.Kind == OmniKind && c.Mirror != nil && c.Image != nil {
		if _, err := c.Catadioptric(); err != nil {
			violate("mirror", "table", err.Error())
		}
	}
	return errors.Join(errs...)
}
