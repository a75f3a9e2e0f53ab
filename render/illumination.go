package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
)

// Illumination is the light of a scene's hall by what emits it, for renderers that trace light. The hall is a closed box on the floor, from
// −HalfX to HalfX, −HalfY to HalfY and up to Height, metres; without a Room there is none, and Light.Background comes from everywhere.
// Radiances are linear: 1 is what a white matt surface sends back of an irradiance of 1, in the units of Light.
type Illumination struct {
	HalfX, HalfY, Height float64
	Panels               []Panel // in the ceiling, for Light.Lamp
	Windows              []Panel // in the walls, for Light.Sky
	Bulbs                []Bulb  // one for each of Light.Spots
}

// Panel is a rectangle in the hall's box that emits evenly into it. It reflects as the wall or the ceiling does.
type Panel struct {
	CentreW  mgl64.Vec3
	U, V     mgl64.Vec3 // from the centre to the middles of two sides, at right angles; U × V points into the hall
	Radiance mgl64.Vec3
}

// Bulb is a sphere that emits evenly. One beyond the hall lights it as if the walls were not there.
type Bulb struct {
	PosW     mgl64.Vec3
	Radius   float64
	Radiance mgl64.Vec3
}

// Measures of lamps and windows. Guesses, from photographs of halls.
const (
	panelPitch  = 4.0 // metres between the middles of neighbouring panels
	panelLength = 1.5 // metres, along x
	panelWidth  = 0.6
	panelsReach = 0.75 // share of the ceiling's half sizes over which they are spread
	windowPitch = 6.0  // metres between the middles of neighbouring windows
	windowGap   = 0.6  // metres between them
	windowLow   = 0.68 // share of the hall's height: above spectators
	windowHigh  = 0.92
	bulbRadius  = 0.15 // metres
	bulbRoom    = 0.5  // metres from a bulb to the ceiling, which is raised above the highest
)

// Illuminate returns what emits the light of a shading of the scene. Panels and windows, each with the light that goes to and fro between the
// box's faces, bring as much light to the middle of the empty floor as the distant lamp and the light from above do for plain renderers: the
// irradiance there is the same, by colour. A bulb brings what a PointLamp does, and besides what of it comes back from around.
func (s *Scene) Illuminate(with *Shading) Illumination {
	var out Illumination
	l := &with.Light
	for _, spot := range l.Spots { // a sphere's irradiance at a distance d is radiance·(radius/d)²
		out.Bulbs = append(out.Bulbs, Bulb{vec64(spot.PosW), bulbRadius, vec64(spot.Light).Mul(1 / (bulbRadius * bulbRadius))})
	}
	if s.Room.Margin <= 0 || s.Room.Height <= 0 {
		return out
	}
	out.HalfX, out.HalfY, out.Height = s.Floor.SizeX/2+s.Room.Margin, s.Floor.SizeY/2+s.Room.Margin, s.Room.Height
	for _, b := range out.Bulbs {
		if math.Abs(b.PosW[0]) < out.HalfX && math.Abs(b.PosW[1]) < out.HalfY {
			out.Height = max(out.Height, b.PosW[2]+bulbRoom)
		}
	}
	out.Panels = out.ceilingPanels(vec64(l.DirectionW))
	out.Windows = out.wallWindows()
	box := newBox(&out, s, with)
	lamp := vec64(l.Lamp).Mul(float64(l.DirectionW[2]))
	for _, group := range []struct {
		panels []Panel
		target mgl64.Vec3
	}{{out.Panels, lamp}, {out.Windows, vec64(l.Sky)}} {
		unit := box.atCentre(group.panels)
		for i := range group.panels {
			for c := range 3 {
				group.panels[i].Radiance[c] = max(group.target[c], 0) / unit[c]
			}
		}
	}
	return out
}

// ceilingPanels returns panels of the radiance 1 around where the ceiling is crossed by a ray from the middle of the floor to a lamp, as far as
// the walls let them.
func (out *Illumination) ceilingPanels(toLamp mgl64.Vec3) (all []Panel) {
	rise := max(toLamp[2], 0.1)
	place := func(half, shift, size float64) []float64 {
		middle := mgl64.Clamp(out.Height*shift/rise, -panelsReach*half, panelsReach*half)
		reach := min(panelsReach*half, half-math.Abs(middle)-size)
		n := max(int(math.Round(2*reach/panelPitch)), 1)
		at := make([]float64, n)
		for i := range at {
			at[i] = middle + reach*(float64(2*i+1)/float64(n)-1)
		}
		return at
	}
	// HalfX and the like are more than a panel: Margin is.
	u, v := min(panelLength/2, out.HalfX/4), min(panelWidth/2, out.HalfY/4)
	for _, y := range place(out.HalfY, toLamp[1], v) {
		for _, x := range place(out.HalfX, toLamp[0], u) {
			all = append(all, Panel{mgl64.Vec3{x, y, out.Height}, mgl64.Vec3{u, 0, 0}, mgl64.Vec3{0, -v, 0}, mgl64.Vec3{1, 1, 1}})
		}
	}
	return all
}

// wallWindows returns bands of windows of the radiance 1 below the ceiling, in all walls.
func (out *Illumination) wallWindows() (all []Panel) {
	z, up := (windowLow+windowHigh)/2*out.Height, mgl64.Vec3{0, 0, (windowHigh - windowLow) / 2 * out.Height}
	for _, wall := range []struct{ inwards, along mgl64.Vec3 }{
		{mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 1, 0}}, {mgl64.Vec3{-1, 0, 0}, mgl64.Vec3{0, -1, 0}},
		{mgl64.Vec3{0, 1, 0}, mgl64.Vec3{-1, 0, 0}}, {mgl64.Vec3{0, -1, 0}, mgl64.Vec3{1, 0, 0}},
	} {
		half := math.Abs(wall.along[0])*out.HalfX + math.Abs(wall.along[1])*out.HalfY
		behind := mgl64.Vec3{-wall.inwards[0] * out.HalfX, -wall.inwards[1] * out.HalfY, z}
		n := max(int(math.Round(2*half/windowPitch)), 1)
		wide := max(half/float64(n)-windowGap/2, half/float64(2*n))
		for i := range n {
			at := behind.Add(wall.along.Mul(half * (float64(2*i+1)/float64(n) - 1)))
			all = append(all, Panel{at, wall.along.Mul(wide), up, mgl64.Vec3{1, 1, 1}})
		}
	}
	return all
}

func vec64(v mgl32.Vec3) mgl64.Vec3 { return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])} }
