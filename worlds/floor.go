package worlds

import (
	"cmp"
	"fmt"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Floor is the size and the appearance of the floor. Under a field, its appearance is that of the field's surface.
type Floor struct {
	Size    *[2]float64         `toml:"size_m" range:"[1, 100]" doc:"length along x and width along y, with field = false alone; left out, [20, 12]. The hall is as large as the floor: its walls stop robots, and distance sensors measure them"`
	Pattern render.FloorPattern `toml:"pattern" oneof:"|carpet|concrete|tiles|planks|plain" doc:"material of the floor; left out, carpet under a field and concrete without one"`
	Color   render.Color        `toml:"color" doc:"colour as #rrggbb, sRGB; left out, the material's, and hall.carpet_color for a carpet"`
}

// defaultFloor is the size of a floor without a field, in metres.
var defaultFloor = [2]float64{20, 12}

// floorColors are the colours of materials. They are guesses from photographs. A carpet's is that of package scenery.
var floorColors = map[render.FloorPattern]render.Color{
	render.Concrete: "#a3a29d", render.Tiles: "#c9c4b8", render.Planks: "#a87b4e", render.PlainFloor: "#a9a9a7",
}

// layFloor gives a bare floor its size and its material.
func (w *World) layFloor() {
	if w.Field.Bare() {
		if w.Floor.Size != nil {
			w.Field.Length, w.Field.Width = w.Floor.Size[0], w.Floor.Size[1]
		}
		w.Floor.Pattern = cmp.Or(w.Floor.Pattern, render.Concrete)
	}
	w.Floor.Pattern = cmp.Or(w.Floor.Pattern, render.Carpet)
}

// FloorColor returns the floor's colour at the start, or "" for the default carpet.
func (w *World) FloorColor() render.Color {
	return cmp.Or(w.Floor.Color, w.Hall.Carpet, floorColors[w.Floor.Pattern])
}

// validateParts reports keys that contradict the parts that a world has.
func (w *World) validateParts() (errs []error) {
	fail := func(path, key string, value any, rule string) {
		if w.NoErrorAt(path + "." + key) {
			errs = append(errs, &schema.Violation{Path: path, Key: key, Value: value, Rule: rule})
		}
	}
	if w.Floor.Size != nil && !w.Field.Bare() {
		fail("floor", "size_m", fmt.Sprint(*w.Floor.Size), "goes with field = false alone: a field gives the size of its floor")
	}
	if w.Floor.Color != "" && w.Hall.Carpet != "" && w.Floor.Color != w.Hall.Carpet {
		fail("floor", "color", string(w.Floor.Color), "contradicts hall.carpet_color: give one of them")
	}
	if w.Referee != RefereeOff {
		if err := w.FindPart("goals"); err != nil {
			errs = append(errs, &schema.Violation{Key: "referee", Value: w.Referee, Rule: err.Error()})
		}
	}
	return errs
}
