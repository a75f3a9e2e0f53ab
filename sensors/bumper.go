package sensors

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
)

// Bumper is a ring of switches around the hull.
type Bumper struct {
	Switches int     `toml:"switches" range:"[1, 64]" doc:"switches in equal parts of the ring; the first is ahead, the others follow anticlockwise"`
	Force    float64 `toml:"force_n" range:"[0, 10000]" doc:"least force that presses a switch, at raw"`
}

// SetDefaults sets eight switches behind rubber. The number of switches and the force are guesses.
func (b *Bumper) SetDefaults() { *b = Bumper{Switches: 8, Force: 5} }

func (*Bumper) row() *kind { return &kind{rate: 200, reading: BumperReading{}} }

func (*Bumper) build(d device, site Site) (Sensor, error) { return &bumper{d, site.Model.Step}, nil }

// BumperReading says for each switch whether it is pressed. The first switch is at the front of the robot, and the
// others follow anticlockwise.
type BumperReading struct {
	Pressed []bool `json:"switches" quantity:"bumper.switches"`
	Touched bool   `json:"-" quantity:"bumper.touched"` // any switch is pressed
}

// bumper reports which of its switches are pressed. An observation contains only the contacts of the last step. To miss
// no contact, the bumper needs as many observations per second as the world has steps.
type bumper struct {
	device
	step time.Duration
}

func (s *bumper) Observe(at *Instant, obs *Observation) {
	spec := s.cfg.Bumper
	reading := readingIn[BumperReading](obs)
	reading.Pressed, reading.Touched = slices.Grow(reading.Pressed[:0], spec.Switches)[:spec.Switches], false
	clear(reading.Pressed)
	me := physics.BodyID(at.Robot)
	least := 0.0
	if obs.Level == abstraction.Raw {
		least = spec.Force * s.step.Seconds()
	}
	for i := range at.Snapshot.Touches {
		t := &at.Snapshot.Touches[i]
		if t.A != me && t.B != me || t.Impulse < least {
			continue
		}
		d := at.State().PoseWB.Unrotate(t.PosW.Sub(at.State().PoseWB.Pos))
		part := 2 * math.Pi / float64(spec.Switches)
		k := int(math.Floor(math.Atan2(d[1], d[0])/part + 0.5))
		reading.Pressed[(k+spec.Switches)%spec.Switches] = true
		reading.Touched = true
	}
}
