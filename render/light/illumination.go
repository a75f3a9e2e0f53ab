package light

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// Illumination is the light of a scene's hall by what emits it, for renderers that trace light. The hall is a closed
// box on the floor, from −HalfX to HalfX, −HalfY to HalfY and up to Height, metres; without a Room there is none, and
// Light.Background comes from everywhere. Radiances are linear: 1 is what a white matt surface sends back of an
// irradiance of 1, in the units of Light.
type Illumination struct {
	HalfX, HalfY, Height float64
	Panels               []Panel // in the ceiling, for Light.Lamp
	Windows              []Panel // in the walls, for Light.Sky
	Bulbs                []Bulb  // one for each of Light.Spots
	PanelRows            [2]Row  // of Panels along x and y
	WindowRows           [2]Row  // of Windows along the walls at ±HalfX, which run along y, and along those at ±HalfY
	WindowLow            float64 // where they begin and end, metres
	WindowHigh           float64
}

// Row is strips that follow each other evenly along an axis.
type Row struct {
	First float64 // middle of the first, metres
	Pitch float64 // from middle to middle, metres; positive
	Half  float64 // half of a strip's width, metres
	N     int
}

// At returns the middle of a strip.
func (r *Row) At(i int) float64 { return r.First + r.Pitch*float64(i) }

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

// Illuminate returns what emits the light of a shading of a scene. Panels and windows, each with the light that goes to
// and fro between the box's faces, bring as much light to the middle of the empty floor as the distant lamp and the
// light from above do for plain renderers: the irradiance there is the same, by colour. A bulb brings what a PointLamp
// does, and besides what of it comes back from around.
func Illuminate(s *render.Scene, with *render.Shading) Illumination {
	out, _ := illuminate(s, with)
	return out
}

// hall is an empty hall with its panels and windows, and how a unit of their light goes to and fro in it.
type hall struct {
	*box
	Illumination               // of radiances of 1
	floor        reflectances  // of its faces
	content      content       // of all of it
	per          [2]mgl64.Vec3 // radiance of panels for a Light.Lamp of 1, and of windows for a Light.Sky of 1
	// radiances of the patches in the light of panels of the radiance 1, and of such windows
	unit [2][]mgl64.Vec3
}

// reflectances are those of the faces, on the average.
type reflectances struct {
	carpet, bare, wall, ceiling mgl64.Vec3
	half                        mgl64.Vec2 // of the carpet, metres
}

// at returns the reflectance of the floor about a point.
func (r *reflectances) at(x, y float64) mgl64.Vec3 {
	if math.Abs(x) < r.half[0] && math.Abs(y) < r.half[1] {
		return r.carpet
	}
	return r.bare
}

var halls = cache[*hall]{most: 8}

// illuminate returns the hall too; nil where there is none.
func illuminate(s *render.Scene, with *render.Shading) (out Illumination, in *hall) {
	l := &with.Light
	for _, spot := range l.Spots { // a sphere's irradiance at a distance d is radiance·(radius/d)²
		out.Bulbs = append(out.Bulbs, Bulb{vec64(spot.PosW), bulbRadius,
			vec64(spot.Light).Mul(1 / (bulbRadius * bulbRadius))})
	}
	if s.Room.Margin <= 0 || s.Room.Height <= 0 {
		return out, nil
	}
	out.HalfX, out.HalfY, out.Height = s.Floor.SizeX/2+s.Room.Margin, s.Floor.SizeY/2+s.Room.Margin, s.Room.Height
	for _, b := range out.Bulbs {
		if math.Abs(b.PosW[0]) < out.HalfX && math.Abs(b.PosW[1]) < out.HalfY {
			out.Height = max(out.Height, b.PosW[2]+bulbRoom)
		}
	}
	toLamp := vec64(l.DirectionW)
	floor := reflectances{meanFloor(&s.Floor, with), vec64(s.Room.Floor), MeanWall(&s.Room), vec64(s.Room.Ceiling),
		mgl64.Vec2{s.Floor.SizeX / 2, s.Floor.SizeY / 2}}
	of := noContent.with(out.HalfX, out.HalfY, out.Height, floor.half[0], floor.half[1])
	for _, v := range [...]mgl64.Vec3{toLamp, floor.carpet, floor.bare, floor.wall, floor.ceiling} {
		of = of.with(v[:]...)
	}
	for i := range out.Bulbs {
		of = of.with(out.Bulbs[i].PosW[:]...)
	}
	in = halls.get(of, func() *hall { return newHall(out, toLamp, floor, of) })
	lit := in.Illumination
	lit.Bulbs = out.Bulbs
	lit.Panels = emitting(in.Panels, times(in.per[0], vec64(l.Lamp)))
	lit.Windows = emitting(in.Windows, times(in.per[1], vec64(l.Sky)))
	return lit, in
}

// emitting returns panels of another radiance.
func emitting(panels []Panel, radiance mgl64.Vec3) []Panel {
	out := append([]Panel(nil), panels...)
	for i := range out {
		out[i].Radiance = radiance
	}
	return out
}

// newHall hangs panels and windows into a hall of a given size and bulbs, and finds what their light does in it.
func newHall(size Illumination, toLamp mgl64.Vec3, floor reflectances, of content) *hall {
	size.Panels = size.ceilingPanels(toLamp)
	size.Windows = size.wallWindows()
	in := &hall{box: newBox(&size, &floor), Illumination: size, floor: floor, content: of}
	for i, group := range []struct {
		panels []Panel
		share  float64 // of the light that is to arrive on the floor
	}{{in.Panels, toLamp[2]}, {in.Windows, 1}} {
		unit, radiances := in.atCentre(group.panels)
		in.unit[i] = radiances
		for c := range in.per[i] {
			in.per[i][c] = max(group.share, 0) / unit[c]
		}
	}
	return in
}

// ceilingPanels returns panels of the radiance 1 around where the ceiling is crossed by a ray from the middle of the
// floor to a lamp, as far as the walls let them.
func (out *Illumination) ceilingPanels(toLamp mgl64.Vec3) (all []Panel) {
	rise := max(toLamp[2], 0.1)
	row := func(half, shift, size float64) Row {
		middle := mgl64.Clamp(out.Height*shift/rise, -panelsReach*half, panelsReach*half)
		reach := min(panelsReach*half, half-math.Abs(middle)-size)
		n := max(int(math.Round(2*reach/panelPitch)), 1)
		return Row{middle + reach*(1/float64(n)-1), 2 * reach / float64(n), size, n}
	}
	// HalfX and the like are more than a panel: Margin is.
	u, v := min(panelLength/2, out.HalfX/4), min(panelWidth/2, out.HalfY/4)
	x, y := row(out.HalfX, toLamp[0], u), row(out.HalfY, toLamp[1], v)
	out.PanelRows = [2]Row{x, y}
	for j := range y.N {
		for i := range x.N {
			all = append(all, Panel{mgl64.Vec3{x.At(i), y.At(j), out.Height}, mgl64.Vec3{u, 0, 0}, mgl64.Vec3{0, -v, 0},
				mgl64.Vec3{1, 1, 1}})
		}
	}
	return all
}

// wallWindows returns bands of windows of the radiance 1 below the ceiling, in all walls.
func (out *Illumination) wallWindows() (all []Panel) {
	out.WindowLow, out.WindowHigh = windowLow*out.Height, windowHigh*out.Height
	z, up := (out.WindowLow+out.WindowHigh)/2, mgl64.Vec3{0, 0, (out.WindowHigh - out.WindowLow) / 2}
	for axis, half := range [2]float64{out.HalfY, out.HalfX} {
		n := max(int(math.Round(2*half/windowPitch)), 1)
		row := Row{half * (1/float64(n) - 1), 2 * half / float64(n), max(half/float64(n)-windowGap/2,
			half/float64(2*n)), n}
		out.WindowRows[axis] = row
		for _, side := range [2]float64{-1, 1} { // × its inward normal is up, for either wall
			behind, along := mgl64.Vec3{side * out.HalfX, 0, z}, mgl64.Vec3{0, -side, 0}
			if axis == 1 {
				behind, along = mgl64.Vec3{0, side * out.HalfY, z}, mgl64.Vec3{side, 0, 0}
			}
			for i := range n {
				at := behind.Add(along.Mul(row.At(i)))
				all = append(all, Panel{at, along.Mul(row.Half), up, mgl64.Vec3{1, 1, 1}})
			}
		}
	}
	return all
}

func vec64(v mgl32.Vec3) mgl64.Vec3 { return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])} }
