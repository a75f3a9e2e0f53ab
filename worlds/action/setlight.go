package action

import (
	"time"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// SetLight changes the light of the hall. What it leaves out stays as it is, or goes on to where it is going. Images,
// and what vision detects, change with it.
type SetLight struct {
	Lamp               *float64      `toml:"lamp" range:"[0, 4]" doc:"light of the lamps, which cast the shadows; 1 is that of a common hall"`
	LampTemperature    *float64      `toml:"lamp_temperature_k" range:"[1500, 20000]" doc:"colour of the lamps, black body"`
	LampAzimuth        *float64      `toml:"lamp_azimuth_deg" range:"[-360, 360]" doc:"where the lamps stand, anticlockwise from x"`
	LampElevation      *float64      `toml:"lamp_elevation_deg" range:"[20, 90]" doc:"how high they stand"`
	Ambient            *float64      `toml:"ambient" range:"[0, 4]" doc:"light from all around; 1 is that of a common hall"`
	AmbientTemperature *float64      `toml:"ambient_temperature_k" range:"[1500, 20000]" doc:"its colour"`
	Over               time.Duration `toml:"over_s" range:"[0, 3600]" doc:"the change takes so long: amounts go evenly in stops, or evenly in light to and from 0, temperatures evenly in mired, all else evenly; at once if left out"`
}

func (l *SetLight) Validate(World) error {
	return changes(l.Lamp, l.LampTemperature, l.LampAzimuth, l.LampElevation, l.Ambient, l.AmbientTemperature)
}

func (l *SetLight) Do(s Simulation) error {
	return s.ChangeLight(func(light *render.FadingLight) error {
		fade(light, &light.Lamp, l.Lamp, l.Over)
		fade(light, &light.LampTemperature, l.LampTemperature, l.Over)
		fade(light, &light.LampAzimuth, l.LampAzimuth, l.Over)
		fade(light, &light.LampElevation, l.LampElevation, l.Over)
		fade(light, &light.Ambient, l.Ambient, l.Over)
		fade(light, &light.AmbientTemperature, l.AmbientTemperature, l.Over)
		return nil
	})
}

func (l *SetLight) Anytime() bool { return false }

// changes fails unless one of the numbers is given.
func changes(numbers ...*float64) error {
	for _, n := range numbers {
		if n != nil {
			return nil
		}
	}
	return &schema.Violation{Rule: "changes nothing: it needs a key of the light"}
}

// fade changes a number, if it is given.
func fade(light *render.FadingLight, number, to *float64, over time.Duration) {
	if to != nil {
		light.Fade(number, *to, over)
	}
}
