package sensors

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// Kind is the kind of a device.
type Kind string

// Config configures one sensor instance on a robot. The kind determines which tables apply. Complete fills in the
// tables that are missing.
type Config struct {
	Name             string                    `toml:"name" required:"true" match:"name" fixed:"true" doc:"unique within the robot"`
	Kind             Kind                      `toml:"kind" required:"true" doc:"kind of device"`
	Profile          string                    `toml:"profile" doc:"a real device whose properties are the defaults: kinect-v1, kinect-v2, blackfly-s-04s2, firefly-16s2, imx219, imx219-binned, imx273, imx477, ov5647, zed, sick-lms1xx, sick-lms5xx, sick-ld, sick-lms200, urg-04lx, velodyne-vlp16, mpu-6050, visual-compass"`
	Level            abstraction.Level         `toml:"level" oneof:"raw|ideal|pose|features|objects|truth" doc:"initial level; default raw"`
	Rate             float64                   `toml:"rate_hz" range:"(0, 1000]" doc:"observations per second of sim time; the default depends on the kind or profile"`
	Phase            time.Duration             `toml:"phase_ms" range:"[0, 10000]" doc:"time of the first observation"`
	Latency          time.Duration             `toml:"latency_ms" range:"[0, 2000]" doc:"from capture to delivery"`
	Jitter           time.Duration             `toml:"jitter_ms" range:"[0, 2000]" doc:"standard deviation of the latency; no observation overtakes an earlier one"`
	Mount            Mount                     `toml:"mount" doc:"pose on the robot"`
	Head             *HeadConfig               `toml:"head" doc:"pan and tilt axes that turn the camera on its mount; camera, kinect, stereo"`
	Annotate         bool                      `toml:"ground_truth" doc:"ground truth of every pixel, delivered with each image: label, range, normal, flow; omni, camera, kinect, stereo"`
	Image            *imaging.Image            `toml:"image" doc:"pixels and lens; omni, camera, kinect, stereo"`
	Lens             *imaging.Lens             `toml:"lens" doc:"distortion of the lens; default none; camera"`
	Mirror           *imaging.Mirror           `toml:"mirror" doc:"the mirror above the camera; omni"`
	Imager           *imaging.Imager           `toml:"imager" doc:"faults of the raw colour image; omni, camera, kinect, stereo"`
	AutoExposure     *imaging.AutoExposure     `toml:"auto_exposure" doc:"automatic control of exposure and gain, instead of those of imager; omni, camera, kinect, stereo"`
	AutoWhiteBalance *imaging.AutoWhiteBalance `toml:"auto_white_balance" doc:"automatic control of white balance, instead of that of imager; omni, camera, kinect, stereo"`
	Shutter          *imaging.Shutter          `toml:"shutter" doc:"exposure of the raw colour image; default instantaneous; omni, camera, kinect, stereo"`
	Focus            *imaging.Focus            `toml:"focus" doc:"focus of the raw colour image; default sharp everywhere; camera, kinect, stereo"`
	Ranging          *imaging.Ranging          `toml:"ranging" doc:"range and faults of the raw depth image; kinect"`
	Stereo           *imaging.Stereo           `toml:"stereo" doc:"distance of the two cameras, and how depth is matched; stereo"`
	Vision           *abstraction.VisionConfig `toml:"vision" doc:"errors of the vision that level objects replaces; omni, camera, kinect, stereo"`
	Devices
}

// Mount is the pose of a sensor's body frame (x forward, y left, z up) on the robot. For an omni camera the origin of
// this frame is the mirror's viewpoint.
type Mount struct {
	X     float64 `toml:"x_m" range:"[-2, 2]"`
	Y     float64 `toml:"y_m" range:"[-2, 2]"`
	Z     float64 `toml:"z_m" range:"[0, 3]"`
	Roll  float64 `toml:"roll_deg" range:"[-180, 180]" doc:"about x, applied first"`
	Pitch float64 `toml:"pitch_deg" range:"[-180, 180]" doc:"about y, applied second; positive looks down"`
	Yaw   float64 `toml:"yaw_deg" range:"[-180, 180]" doc:"about z, applied last; positive looks left; turns the image of an omni camera: at 0 the robot's front is at the top, at -90 on the right"`
	Joint string  `toml:"joint" doc:"joint of the robot's URDF or MJCF that moves the sensor; the pose is that while the joints are at zero"`
}

// Pose returns poseBS.
func (m Mount) Pose() spatial.Pose {
	return spatial.RPY(mgl64.Vec3{m.X, m.Y, m.Z}, m.Roll, m.Pitch, m.Yaw)
}

// profile holds the properties of a real device. They are the defaults of a sensor that is configured with this
// profile. Properties without a source are marked as guesses.
type profile struct {
	name  string
	apply func(*Config)
}

// Prepare sets the defaults of the kind and of the profile, before the values of a world file's table override them.
// The function text returns the value of a key of that table. Prepare ignores a profile that is unknown or belongs to
// another kind. Validate reports such a profile.
func (c *Config) Prepare(text func(key string) string) {
	c.Kind = cmp.Or(Kind(text("kind")), c.Kind)
	if name := text("profile"); name != "" {
		c.Profile = name
		for _, p := range c.Kind.row().profiles {
			if p.name == name {
				p.apply(c)
			}
		}
	}
	if c.Kind != "" {
		c.Complete()
	}
}

// Complete fills in missing values with the defaults of the kind: the level (raw), the rate, and the tables that the
// kind needs.
func (c *Config) Complete() {
	kind := c.Kind.row()
	c.Level, c.Rate = cmp.Or(c.Level, abstraction.Raw), cmp.Or(c.Rate, kind.rate)
	if c.Image == nil && kind.image.Width > 0 {
		image := kind.image
		c.Image = &image
	}
	c.eachTable(func(_, key string, table reflect.Value) {
		if table.IsNil() && slices.Contains(kind.tables, key) {
			table.Set(reflect.New(table.Type().Elem()))
			table.Interface().(defaulter).SetDefaults()
		}
	})
}

// eachTable calls f for every table of the configuration. The arguments of f are the name of the table's Go field, its
// key in world files, and its value. The value is a pointer that may be nil.
func (c *Config) eachTable(f func(field, key string, table reflect.Value)) {
	for _, s := range []reflect.Value{reflect.ValueOf(c).Elem(), reflect.ValueOf(&c.Devices).Elem()} {
		for i := range s.NumField() {
			if s.Field(i).Kind() == reflect.Pointer {
				f(s.Type().Field(i).Name, s.Type().Field(i).Tag.Get("toml"), s.Field(i))
			}
		}
	}
}

// Due returns the earliest capture time of the frame of index k. The first step that is not before this time captures
// the frame.
func (c *Config) Due(k uint64) time.Duration {
	return c.Phase + time.Duration(float64(k)/c.Rate*float64(time.Second)+0.5)
}

// Delay returns the sim time from capture to delivery at a level, without jitter.
func (c *Config) Delay(level abstraction.Level) time.Duration {
	switch level {
	case abstraction.Truth:
		return 0
	case abstraction.Features:
		return c.Latency + c.Vision.Segmentation
	case abstraction.Objects:
		if c.Vision != nil { // a microphone has none
			return c.Latency + c.Vision.Delay
		}
	}
	return c.Latency
}

// slowestTurn is the lowest rate of a sensor with a Sweep, and of a microphone, Hz. It bounds the length of a Trail and
// the number of samples in a frame.
const slowestTurn = 1

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
	if (kind.sweeps || c.Microphone != nil) && !(c.Rate >= slowestTurn) {
		violate("Rate", c.Rate, fmt.Sprintf("must be at least %v for kind %s", slowestTurn, c.Kind))
	}
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
		if c.Stereo != nil {
			samples *= 2
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
	if c.Stereo != nil && c.Image != nil && c.Stereo.Baseline > 0 && c.Stereo.Min > 0 {
		if err := c.Stereo.Matching(c.Image.Pinhole()).Validate(c.Image.Width, c.Image.Height); err != nil {
			violate("Stereo.Min", c.Stereo.Min, err.Error())
		}
	}
	if c.Kind == OmniKind && c.Mirror != nil && c.Image != nil {
		if _, err := c.Catadioptric(); err != nil {
			violate("Mirror", "table", err.Error())
		}
	}
	return errors.Join(errs...)
}
