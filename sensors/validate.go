package sensors

import (
	"errors"
	"fmt"
	"reflect"
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
	kind := c.Kind.row()
	if !c.Level.In(kind.levels) {
		violate("level", string(c.Level), fmt.Sprintf("must be one of %v for kind %s", kind.levels, c.Kind))
	}
	var names []string
	for _, p := range kind.profiles {
		names = append(names, p.name)
	}
	if c.Profile != "" && !slices.Contains(names, c.Profile) {
		violate("profile", c.Profile, fmt.Sprintf("must be one of %s for kind %s", strings.Join(names, ", "), c.Kind))
	}
	c.eachTable(func(key string, table reflect.Value) {
		switch needed := slices.Contains(kind.tables, key); {
		case !table.IsNil() && !needed && !slices.Contains(kind.optional, key):
			violate(key, "table", "does not belong to a sensor of kind "+string(c.Kind))
		case table.IsNil() && needed: // of a configuration that was made in Go: Complete fills it in
			violate(key, nil, "must be given for kind "+string(c.Kind))
		}
		if t, ok := table.Interface().(crossKeyed); ok && !table.IsNil() {
			t.Validate(func(inner string, value any, rule string) {
				violate(strings.TrimSuffix(key+"."+inner, "."), value, rule)
			})
		}
	})
	if c.Annotate && !c.Kind.Pictures() {
		violate("ground_truth", true, "does not belong to a sensor of kind "+string(c.Kind))
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
