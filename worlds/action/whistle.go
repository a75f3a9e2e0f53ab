package action

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/sensors"
)

// Whistle makes a sound that microphones hear. It stays where it begins.
type Whistle struct {
	Name  string        `toml:"name" doc:"ball, or the name of a robot or an obstacle that whistles; left out: nobody, and the position is that in the world"`
	X     float64       `toml:"x_m" range:"[-1000, 1000]" doc:"position, forward in the body's frame or towards the goal that cyan attacks"`
	Y     float64       `toml:"y_m" range:"[-1000, 1000]" doc:"position, to the left"`
	Z     float64       `toml:"z_m" range:"[0, 100]" doc:"height"`
	For   time.Duration `toml:"for_s" range:"(0, 10]" doc:"duration"`
	Level float64       `toml:"level_db" range:"[0, 150]" doc:"sound pressure level at a distance of 1 m, dB re 20 µPa"`
}

// SetDefaults sets a short whistle of a standing person. Referees' whistles have 100 to 120 dB (Murphy et al., "Sports
// whistles: acoustic outputs and risk of hearing loss", ASA 2019). The height and the duration are guesses.
func (w *Whistle) SetDefaults() { w.Z, w.For, w.Level = 1.6, 500*time.Millisecond, 110 }

func (w *Whistle) Validate(of World) error {
	if w.Name == "" {
		return nil
	}
	return violation("name", w.Name, of.FindBody(w.Name))
}

func (w *Whistle) Do(s Simulation) error {
	posW := mgl64.Vec3{w.X, w.Y, w.Z}
	if w.Name != "" {
		pose, err := s.Pose(w.Name)
		if err != nil {
			return err
		}
		posW = pose.Apply(posW)
	}
	s.Sound(sensors.Sound{PosW: posW, Length: w.For, Level: w.Level})
	return nil
}
