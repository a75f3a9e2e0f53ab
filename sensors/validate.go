package sensors

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// Validate reports every violation of a complete configuration.
func (c *Config) Validate() error {
	errs := []error{rules.Check(c)}
	violate := func(field string, value any, rule string) {
		errs = append(errs, &rules.Violation{Field: field, Value: value, Rule: rule})
	}
	kind := c.Kind.row()
	if !c.Level.In(kind.levels) {
		violate("Level", string(c.Level), fmt.Sprintf("must be one of %v for kind %s", kind.levels, c.Kind))
	}
	var names []string
	for _, p := range kind.profiles {
		names = append(names, p.name)
	}
	switch {
	case c.Profile == "" || slices.Contains(names, c.Profile):
	case names == nil:
		violate("Profile", c.Profile, fmt.Sprintf("kind %s has no profiles", c.Kind))
	default:
		violate("Profile", c.Profile, fmt.Sprintf("must be one of %s for kind %s", strings.Join(names, ", "), c.Kind))
	}
	c.eachTable(func(name, key string, table reflect.Value) {
		switch needed := slices.Contains(kind.tables, key); {
		case !table.IsNil() && !needed && !slices.Contains(kind.optional, key):
			violate(name, "table", "does not belong to a sensor of kind "+string(c.Kind))
		case table.IsNil() && needed: // possible in a configuration made in Go, which Complete fills in
			violate(name, nil, "must be given for kind "+string(c.Kind))
		}
		if t, ok := table.Interface().(crossKeyed); ok && !table.IsNil() {
			t.Validate(func(inner string, value any, rule string) {
				violate(strings.TrimSuffix(name+"."+inner, "."), value, rule)
			})
		}
	})
	if c.Annotate && !c.Kind.TakesImages() {
		violate("Annotate", true, "does not belong to a sensor of kind "+string(c.Kind))
	}
	if c.Image != nil && c.Image.FOV > imaging.WidestPlain && c.Lens.Plain() {
		violate("Image.FOV", c.Image.FOV, "must be at most 160 unless the lens is a fisheye or unified")
	}
	if c.Image != nil {
		samples, field := imaging.Exposure{Shutter: c.Shutter, Focus: c.Focus}.Count(), "Image.Width"
		if c.Focus != nil {
			field = "Focus.Samples"
		}
		if c.Shutter != nil && c.Shutter.Exposure+c.Shutter.Readout > 0 {
			field = "Shutter.Samples"
		}
		if pixels := float64(samples) * float64(c.Image.Width) * float64(c.Image.Height); pixels > imaging.MaxDrawn {
			violate(field, nil, fmt.Sprintf("one picture is made of %d of %d × %d pixels: must be at most %d pixels "+
				"together", samples, c.Image.Width, c.Image.Height, imaging.MaxDrawn))
		}
	}
	if c.Lens != nil && c.Image != nil {
		if _, err := c.Lens.Camera(c.Image); err != nil {
			violate("Lens", "table", err.Error())
		}
	}
	if c.Kind == OmniKind && c.Mirror != nil && c.Image != nil {
		if _, err := c.Catadioptric(); err != nil {
			violate("Mirror", "table", err.Error())
		}
	}
	return errors.Join(errs...)
}
