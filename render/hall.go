package render

import (
	"cmp"

	"github.com/go-gl/mathgl/mgl32"
)

// Room is the hall around the carpet. Colour images show the room. Depth images show the floor and bodies, and the
// walls of a Solid room. If Margin is 0, there is no room, and images show Light.Background beyond the carpet.
type Room struct {
	Solid  bool    // whether depth images show the walls
	Margin float64 // distance from the carpet's edge to the walls, metres
	Height float64 // of the walls, metres
	// Floor is the linear reflectance of the bare floor around the carpet. Wall and Ceiling are the reflectances of the
	// walls and the ceiling, for natural and traced light.
	Floor, Wall, Ceiling mgl32.Vec3
	// Picture is shown on the walls, multiplied by Light.Wall. It extends from floor to ceiling, and is repeated every
	// PictureWidth metres along each wall. Its width and height are powers of two. It is nil for plain walls.
	Picture      *Image
	PictureWidth float64
	Lamps        CeilingLamps // for natural and traced light
}

// CeilingLamps are the rectangular lamps in the ceiling of a Room, in rows along x and y.
type CeilingLamps struct {
	// Size is the length along x and the width along y, and Pitch the distances between the centres of neighbouring
	// lamps, metres. Values of 0 stand for those of DefaultCeilingLamps.
	Size, Pitch [2]float64
}

// DefaultCeilingLamps returns the lamps of a common hall. Their dimensions are guesses from photographs.
func DefaultCeilingLamps() CeilingLamps {
	return CeilingLamps{Size: [2]float64{1.5, 0.6}, Pitch: [2]float64{4, 4}}
}

// Walls is the kind of the walls of a hall.
type Walls string

const (
	PlainWalls Walls = "plain"
	BoardWalls Walls = "boards"
	PanelWalls Walls = "panels"
)

// Hall configures the surroundings of the field.
type Hall struct {
	Spectators   bool       `toml:"spectators" doc:"spectators: on stands behind banners all around, instead of plain walls; with panels, in a row behind the barrier; none with boards"`
	Walls        Walls      `toml:"walls" oneof:"plain|boards|panels" doc:"boards: white boards with signs, below corrugated sheets, columns and banners, as in a practice hall; panels: dark walls with grey panels behind a white barrier, as in an arena. Both depend on the seed"`
	Carpet       Color      `toml:"carpet_color" doc:"colour of the carpet, as #rrggbb, sRGB; default: green, about #358542"`
	Net          Color      `toml:"net_color" doc:"colour of the goals' nets, as #rrggbb, sRGB; default: white, about #e7e7e7"`
	Wear         float64    `toml:"carpet_wear" range:"[0, 1]" doc:"how much darker the carpet is where it is worn. The natural look shows wear where robots turn and people walk, depending on the seed; the plain look shows patches"`
	Sheen        float64    `toml:"carpet_sheen" range:"[0, 1]" doc:"fraction of the intercepted light that the tips of the carpet's fibres scatter, visible at grazing angles; 0: the carpet is matt. Natural look only"`
	Texture      float64    `toml:"carpet_texture" range:"[0, 3]" doc:"additional contrast of the carpet's texture, from pressed and dirty fibres, as a share of that of a new carpet"`
	Roll         float64    `toml:"carpet_roll_m" range:"[0, 10]" doc:"width of the carpet's rolls, which lie along x; 0: the carpet is a single piece. Natural look only"`
	Seams        float64    `toml:"carpet_seams" range:"[0, 1]" doc:"how visible the seams between rolls, and the differences between rolls, are"`
	Height       float64    `toml:"height_m" range:"[2.5, 20]" doc:"height of the walls, up to the ceiling; those around a bare floor stop robots and balls up to 5 m alone"`
	Margin       float64    `toml:"margin_m" range:"[0.5, 40]" doc:"distance from the carpet's edge to the walls; the walls of a bare floor are at its edge"`
	WallColor    Color      `toml:"wall_color" doc:"colour of plain walls, of the sheets above boards, or of panels, as #rrggbb, sRGB; default: grey"`
	CeilingColor Color      `toml:"ceiling_color" doc:"colour of the ceiling, as #rrggbb, sRGB; default: white. Natural look only"`
	Beams        int        `toml:"beams" range:"[0, 40]" doc:"number of steel beams below the ceiling, across the hall, with purlins between them. Natural look only"`
	LampSize     [2]float64 `toml:"lamp_size_m" range:"[0.05, 4]" doc:"length along x and width along y of the lamps in the ceiling; smaller lamps are brighter, so that the same light reaches the floor. Natural look only"`
	LampPitch    [2]float64 `toml:"lamp_pitch_m" range:"[1, 20]" doc:"distances between the centres of lamps along x and along y; larger where a row would have more than 30. Natural look only"`
	LineWear     float64    `toml:"line_wear" range:"[0, 1]" doc:"how dirty, crooked, creased and torn the markings' tape is, depending on the seed; 0: new. Natural look only; labels of truth images and levels without images use the undamaged markings"`
}

// DefaultHall returns a common hall with new markings.
func DefaultHall() Hall {
	l := DefaultCeilingLamps()
	return Hall{Walls: PlainWalls, Height: 5, Margin: 6, LampSize: l.Size, LampPitch: l.Pitch, Sheen: 0.4, Seams: 0.5}
}

// SetRoom sets the dimensions, the colours and the lamps of a Room. Values of 0 and invalid colours leave those of the
// room.
func (h *Hall) SetRoom(r *Room) {
	r.Height, r.Margin = cmp.Or(h.Height, r.Height), cmp.Or(h.Margin, r.Margin)
	if c, err := h.WallColor.Linear(); err == nil {
		r.Wall = c
	}
	if c, err := h.CeilingColor.Linear(); err == nil {
		r.Ceiling = c
	}
	r.Lamps = CeilingLamps{Size: h.LampSize, Pitch: h.LampPitch}
}
