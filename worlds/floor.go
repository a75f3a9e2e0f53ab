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
	Pattern render.FloorPattern `toml:"pattern" oneof:"|carpet|concrete|tiles|planks|plain" doc:"material of the floor; left out, carpet under a field, concrete without one, and plain with an image"`
	Color   render.Color        `toml:"color" doc:"colour as #rrggbb, sRGB, by which the image is multiplied; left out, the material's, hall.carpet_color for a carpet, and #ffffff with an image"`
	Image   string              `toml:"image" fixed:"true" doc:"PNG or JPEG file that the floor shows from above, with x to the right and y up, relative to the folder of this file; it repeats"`
	// ImageSize and ImageOrigin are nil if the file leaves them out.
	ImageSize   *[2]float64 `toml:"image_size_m" range:"[0.01, 200]" doc:"width of the image along x and height along y; left out, the floor's size"`
	ImageOrigin *[2]float64 `toml:"image_origin_m" range:"[-200, 200]" doc:"position of the image's lower left corner; left out, the image's centre is the origin"`
	texture     *render.Texture
}

// BindNode also reads the image.
func (f *Floor) BindNode(n *schema.Node) (err error) {
	if err := n.Bind(f); err != nil {
		return err
	}
	f.texture, err = texture(n, "image", f.Image)
	return err
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
	}
	switch {
	case w.Floor.Pattern != "":
	case w.Floor.Image != "":
		w.Floor.Pattern = render.PlainFloor
	case w.Field.Bare():
		w.Floor.Pattern = render.Concrete
	}
	w.Floor.Pattern = cmp.Or(w.Floor.Pattern, render.Carpet)
}

// FloorColor returns the floor's colour at the start, or "" for the default carpet.
func (w *World) FloorColor() render.Color {
	if w.Floor.texture != nil {
		return cmp.Or(w.Floor.Color, w.Hall.Carpet, white)
	}
	return cmp.Or(w.Floor.Color, w.Hall.Carpet, floorColors[w.Floor.Pattern])
}

// FloorImage returns the image on the floor, or nil.
func (w *World) FloorImage() *render.FloorImage {
	f := &w.Floor
	if f.texture == nil {
		return nil
	}
	im := &render.FloorImage{Texture: f.texture, SizeX: w.Field.Length + 2*w.Field.Border,
		SizeY: w.Field.Width + 2*w.Field.Border}
	if f.ImageSize != nil {
		im.SizeX, im.SizeY = f.ImageSize[0], f.ImageSize[1]
	}
	im.X, im.Y = -im.SizeX/2, -im.SizeY/2
	if f.ImageOrigin != nil {
		im.X, im.Y = f.ImageOrigin[0], f.ImageOrigin[1]
	}
	return im
}

// validateParts reports keys that contradict the parts that a world has.
func (w *World) validateParts() (errs []error) {
	fail := func(key string, value any, rule string) {
		if w.NoErrorAt("floor." + key) {
			errs = append(errs, &schema.Violation{Path: "floor", Key: key, Value: value, Rule: rule})
		}
	}
	if w.Floor.Size != nil && !w.Field.Bare() {
		fail("size_m", fmt.Sprint(*w.Floor.Size), "goes with field = false alone: a field gives the size of its floor")
	}
	if w.Floor.Color != "" && w.Hall.Carpet != "" && w.Floor.Color != w.Hall.Carpet {
		fail("color", string(w.Floor.Color), "contradicts hall.carpet_color: give one of them")
	}
	if w.Floor.Image == "" && w.Floor.ImageSize != nil {
		fail("image_size_m", fmt.Sprint(*w.Floor.ImageSize), "goes with floor.image alone")
	}
	if w.Floor.Image == "" && w.Floor.ImageOrigin != nil {
		fail("image_origin_m", fmt.Sprint(*w.Floor.ImageOrigin), "goes with floor.image alone")
	}
	if w.Referee != RefereeOff {
		if err := w.FindPart("goals"); err != nil {
			errs = append(errs, &schema.Violation{Key: "referee", Value: w.Referee, Rule: err.Error()})
		}
	}
	return errs
}
