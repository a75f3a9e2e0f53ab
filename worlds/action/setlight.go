package action

import (
	"time"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// SetLight changes the light of the hall. A value that the action leaves out stays as it is. If such a value is still
// changing because of an earlier action, the change continues. Images change with the light, and so do the objects that
// vision detects.
type SetLight struct {
	Lamp               *float64      `toml:"lamp" range:"[0, 4]" doc:"light of the lamps, which cast the shadows; 1 is a common hall's"`
	LampTemperature    *float64      `toml:"lamp_temperature_k" range:"[1500, 20000]" doc:"colour temperature of the lamps, black body"`
	LampAzimuth        *float64      `toml:"lamp_azimuth_deg" range:"[-360, 360]" doc:"azimuth of the lamps, anticlockwise from x"`
	LampElevation      *float64      `toml:"lamp_elevation_deg" range:"[20, 90]" doc:"elevation of the lamps"`
	Ambient            *float64      `toml:"ambient" range:"[0, 4]" doc:"light from all directions; 1 is a common hall's"`
	AmbientTemperature *float64      `toml:"ambient_temperature_k" range:"[1500, 20000]" doc:"colour temperature of the light from all directions"`
	Over               time.Duration `toml:"over_s" range:"[0, 3600]" doc:"duration of the change: amounts change evenly in stops, or evenly in light to and from 0, temperatures evenly in mired, all else evenly; left out, at once"`
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

// changes returns an error if none of the numbers is given.
func changes(numbers ...*float64) error {
	for _, n := range numbers {
		if n != nil {
			return nil
		}
	}
	return &schema.Violation{Rule: "changes nothing: it needs a key of the light"}
}

// fade makes a number change to a new value over a time. It does nothing if the new value is nil.
func fade(light *render.FadingLight, number, to *float64, over time.Duration) {
	if to != nil {
		light.Fade(number, *to, over)
	}
}
