package action

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/render"
)

// SetLamp moves a lamp near the field, or changes its light. A value that the action leaves out stays as it is. If such
// a value is still changing because of an earlier action, the change continues.
type SetLamp struct {
	Name        string        `toml:"name" required:"true" doc:"name of one of the world's [[light.spot]]"`
	X           *float64      `toml:"x_m" range:"[-50, 50]"`
	Y           *float64      `toml:"y_m" range:"[-50, 50]"`
	Z           *float64      `toml:"z_m" range:"[1, 50]" doc:"height; the light on the floor below stays the same"`
	Amount      *float64      `toml:"amount" range:"[0, 16]" doc:"light on the floor below the lamp; 1 is the light of a common hall's lamps"`
	Temperature *float64      `toml:"temperature_k" range:"[1500, 20000]" doc:"colour temperature, black body"`
	Over        time.Duration `toml:"over_s" range:"[0, 3600]" doc:"duration of the change: amounts change evenly in stops, or evenly in light to and from 0, temperatures evenly in mired, all else evenly; left out, at once"`
}

func (l *SetLamp) Validate(w World) error {
	if err := w.FindLamp(l.Name); err != nil {
		return violation("name", l.Name, err)
	}
	return changes(l.X, l.Y, l.Z, l.Amount, l.Temperature)
}

func (l *SetLamp) Do(s Simulation) error {
	return s.ChangeLight(func(light *render.FadingLight) error {
		lamp := light.Spot(l.Name)
		if lamp == nil {
			return fmt.Errorf("name = %q: there is no such lamp", l.Name)
		}
		fade(light, &lamp.X, l.X, l.Over)
		fade(light, &lamp.Y, l.Y, l.Over)
		fade(light, &lamp.Z, l.Z, l.Over)
		fade(light, &lamp.Amount, l.Amount, l.Over)
		fade(light, &lamp.Temperature, l.Temperature, l.Over)
		return nil
	})
}
