package sensors

import (
	"reflect"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// Devices lists the kinds of sensors without images, one field for each kind. The toml key of the field is the name of
// the kind and the name of its table in world files. The type of the field implements deviceKind. It lies in a file
// with the kind's name, together with the type of the readings.
type Devices struct {
	Odometry       *Odometry       `toml:"odometry" was:"encoders" doc:"faults of raw odometry"`
	VisualOdometry *VisualOdometry `toml:"visual_odometry" doc:"errors of odometry from images"`
	IMU            *IMU            `toml:"imu" was:"inertial" doc:"faults of raw readings"`
	Laser          *Laser          `toml:"laser" doc:"beams and their errors"`
	Lidar          *Lidar          `toml:"lidar" doc:"rings of beams and their errors"`
	Compass        *Compass        `toml:"compass" doc:"faults of raw headings"`
	Arms           *Arms           `toml:"arms" was:"displacement" doc:"faults of raw readings"`
	Bumper         *Bumper         `toml:"bumper" was:"switches" doc:"the switches"`
	Battery        *Battery        `toml:"battery" was:"gauge" doc:"faults of raw readings"`
	Sonar          *Sonar          `toml:"sonar" doc:"the cone, and faults of raw distances"`
	Microphone     *Microphone     `toml:"microphone" doc:"samples, noise and echo, and how whistles are heard"`
	Joints         *Joints         `toml:"joints" doc:"faults of raw encoders"`
	Feet           *Feet           `toml:"feet" doc:"faults of raw forces"`
}

// deviceKind is the configuration of one kind of sensor without images.
type deviceKind interface {
	defaulter
	row() *kind // row returns the properties of the kind that differ from the defaults.
	build(d device, site Site) (Sensor, error)
}

// defaulter is a table of a configuration that can set its default values.
type defaulter interface{ SetDefaults() }

// crossKeyed is a table with rules that involve several of its fields. Validate calls violate for each violation. The
// argument field is "" if the violation concerns the table as a whole. In the text of a rule, a name in braces such as
// {Min} stands for another field.
type crossKeyed interface {
	Validate(violate func(field string, value any, rule string))
}

// kind holds the properties common to all sensors of a kind.
type kind struct {
	name     Kind
	tables   []string // required tables of the configuration
	optional []string // optional tables
	levels   abstraction.Levels
	rate     float64       // default rate, Hz
	image    imaging.Image // default image of a camera
	// reading is the zero value of the reading; nil for cameras. Profiles get their quantities from the tags quantity
	// and unit of its fields (robotio/quantity/device.go). Only units of lengths and angles are converted.
	reading     any
	environment bool                        // sensors of the kind observe Instant.Environment
	sweeps      bool                        // sensors of the kind have a Config.Sweep
	integrates  bool                        // a reading depends on the world at the preceding frame
	needs       func(*physics.Robot) string // returns what a robot lacks, or ""; nil: any robot can have the sensor
	profiles    []profile
}

// kinds lists all kinds, in the order of the documentation.
var kinds = append(cameraKinds(), deviceKinds()...)

// deviceKinds returns the properties of the kinds that Devices lists.
func deviceKinds() (all []*kind) {
	rows := reflect.TypeFor[Devices]()
	for i := range rows.NumField() {
		row, key := reflect.New(rows.Field(i).Type.Elem()).Interface().(deviceKind).row(), rows.Field(i).Tag.Get("toml")
		row.name, row.tables = Kind(key), []string{key}
		if row.levels == nil {
			row.levels = unlisted.levels
		}
		all = append(all, row)
	}
	return all
}

// unlisted holds the properties of kinds that Kinds does not list, such as OwnKind. The reading of such a sensor may
// depend on anything.
var unlisted = kind{levels: abstraction.Levels{abstraction.Raw, abstraction.Truth}, rate: 30, environment: true,
	integrates: true}

func (k Kind) row() *kind {
	for _, row := range kinds {
		if row.name == k {
			return row
		}
	}
	return &unlisted
}

// Kinds returns all kinds that a configuration can name.
func Kinds() (all []Kind) {
	for _, row := range kinds {
		all = append(all, row.name)
	}
	return all
}

// Choices returns the values that a Kind can have in a world file.
func (Kind) Choices() (all []string) {
	for _, row := range kinds {
		all = append(all, string(row.name))
	}
	return all
}

// TakesImages reports whether a device takes images.
func (k Kind) TakesImages() bool { return slices.Contains(k.row().tables, "image") }

// Levels returns the levels that a kind supports.
func (k Kind) Levels() abstraction.Levels { return k.row().levels }

// Reading returns a zero value of the struct that holds the readings of a device without images. It returns nil for a
// camera.
func (k Kind) Reading() any { return k.row().reading }

// NeedsEnvironment reports whether devices of the kind need Instant.Environment.
func (k Kind) NeedsEnvironment() bool { return k.row().environment }

// Integrates reports whether a reading of a device depends on the world at the preceding frame, as odometry does. A
// sensor of kind OwnKind always counts as such a device. These devices observe every frame. Other devices observe only
// frames that a listener wants.
func (k Kind) Integrates() bool { return k.row().integrates }

// Sweep returns the time before a frame during which the sensor measures. It is 0 for a sensor that measures at one
// instant.
func (c *Config) Sweep() time.Duration {
	if !c.Kind.row().sweeps {
		return 0
	}
	return time.Duration(float64(time.Second) / c.Rate)
}

// ObservesTrail reports whether the sensor observes Instant.Trail.
func (c *Config) ObservesTrail() bool {
	return c.Kind.row().sweeps || c.Laser != nil && c.Laser.DarkRange > 0
}

// Needs returns "" if a robot can have a sensor of this kind. Otherwise it returns the rule that the robot violates,
// such as "needs a robot with a [dribbler]".
func (k Kind) Needs(r *physics.Robot) string {
	if needs := k.row().needs; needs != nil {
		return needs(r)
	}
	return ""
}
