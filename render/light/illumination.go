package light

import (
	"cmp"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/kept"
)

// Illumination lists the light sources of a scene's hall, for renderers that trace light. The hall is a closed box on
// the floor, from −HalfX to HalfX, −HalfY to HalfY and up to Height, metres. Without a Room there is no hall, and light
// with the radiance Light.Background comes from all directions. Radiances are linear. A radiance of 1 is that of a
// white matt surface with an irradiance of 1, in the units of Light.
type Illumination struct {
	HalfX, HalfY, Height float64
	Panels               []Panel // panels in the ceiling, which give the light of Light.Lamp
	Windows              []Panel // windows in the walls, which give the light of Light.Sky
	Bulbs                []Bulb  // one bulb for each of Light.Spots
	PanelRows            [2]Row  // of Panels along x and y
	// windows in the walls at ±HalfX, in a row along y; and windows in the walls at ±HalfY, in a row along x
	WindowRows [2]Row
	WindowLow  float64 // lower and upper edge of the windows, metres
	WindowHigh float64
}

// Row is a sequence of evenly spaced strips of equal width along an axis.
type Row struct {
	First float64 // centre of the first strip, metres
	Pitch float64 // distance between the centres of neighbouring strips, metres; positive
	Half  float64 // half of a strip's width, metres
	N     int
}

// At returns the centre of the i-th strip.
func (r *Row) At(i int) float64 { return r.First + r.Pitch*float64(i) }

// Panel is a rectangle on the hall's box that emits evenly into the hall. It reflects like the wall or ceiling around
// it.
type Panel struct {
	CentreW mgl64.Vec3
	// vectors from the centre of the panel to the centres of two perpendicular sides; U × V points into the hall
	U, V     mgl64.Vec3
	Radiance mgl64.Vec3
}

// Bulb is a sphere that emits evenly. A bulb outside of the hall lights it as if there were no walls.
type Bulb struct {
	PosW     mgl64.Vec3
	Radius   float64
	Radiance mgl64.Vec3
}

// Dimensions of lamps and windows. The values are guesses from photographs of halls.
const (
	panelsReach = 0.75 // fraction of the ceiling's length and width over which panels are distributed
	mostPanels  = 30   // in a row
	densest     = 0.75 // largest length of a panel relative to the pitch, so that neighbours never overlap
	windowPitch = 6.0  // metres between the centres of neighbouring windows
	windowGap   = 0.6  // metres between the edges of neighbouring windows
	windowLow   = 0.68 // fraction of the hall's height; windows are above spectators
	windowHigh  = 0.92
	bulbRadius  = 0.15 // metres
	// minimum distance from the highest bulb to the ceiling, metres; the ceiling is raised if necessary
	bulbRoom = 0.5
)

// Illuminate returns the light sources of a scene's hall for a shading. Their strengths match those of plain light.
// Panels cause the same irradiance at the centre of the empty floor as the distant lamp, for each colour. Windows cause
// the same irradiance there as the ambient light from above. Both include the interreflection of their light. A bulb
// gives the light of its PointLamp, and interreflection in addition.
func Illuminate(s *render.Scene, with *render.Shading) Illumination {
	out, _ := illuminate(s, with)
	return out
}

// hall is an empty hall with its panels and windows. It includes the interreflection of one unit of the light of each.
type hall struct {
	*box
	Illumination               // with radiances of 1
	toLamp       mgl64.Vec3    // direction
	floor        reflectances  // of the hall's faces
	content      content       // hash of everything above
	per          [2]mgl64.Vec3 // radiance of panels for a Light.Lamp of 1, and of windows for a Light.Sky of 1
	// radiances of the patches caused by panels of radiance 1, and by windows of radiance 1
	unit [2][]mgl64.Vec3
}

// reflectances holds the mean reflectances of the faces.
type reflectances struct {
	carpet, bare, wall, ceiling mgl64.Vec3
	half                        mgl64.Vec2 // of the carpet, metres
}

// at returns the reflectance of the floor at a point.
func (r *reflectances) at(x, y float64) mgl64.Vec3 {
	if math.Abs(x) < r.half[0] && math.Abs(y) < r.half[1] {
		return r.carpet
	}
	return r.bare
}

var halls = cache[*hall]{most: 8}

// illuminate returns the Illumination of a scene, and its hall. The hall is nil if the scene has no Room.
func illuminate(s *render.Scene, with *render.Shading) (out Illumination, in *hall) {
	l := &with.Light
	for _, spot := range l.Spots { // the irradiance by a sphere at the distance d is radiance·(radius/d)²
		out.Bulbs = append(out.Bulbs, Bulb{spatial.Vec64(spot.PosW), bulbRadius,
			spatial.Vec64(spot.Light).Mul(1 / (bulbRadius * bulbRadius))})
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
	toLamp := spatial.Vec64(l.DirectionW)
	floor := reflectances{meanFloor(&s.Floor, with), spatial.Vec64(s.Room.Floor), MeanWall(&s.Room),
		spatial.Vec64(s.Room.Ceiling), mgl64.Vec2{s.Floor.SizeX / 2, s.Floor.SizeY / 2}}
	lamps := lampsOf(&s.Room)
	of := noContent.with(out.HalfX, out.HalfY, out.Height, floor.half[0], floor.half[1], lamps.Size[0], lamps.Size[1],
		lamps.Pitch[0], lamps.Pitch[1])
	for _, v := range [...]mgl64.Vec3{toLamp, floor.carpet, floor.bare, floor.wall, floor.ceiling} {
		of = of.with(v[:]...)
	}
	for i := range out.Bulbs {
		of = of.with(out.Bulbs[i].PosW[:]...)
	}
	in = halls.get(of, func() *hall { return newHall(out, &lamps, toLamp, floor, of) })
	lit := in.Illumination
	lit.Bulbs = out.Bulbs
	lit.Panels = emitting(in.Panels, times(in.per[0], spatial.Vec64(l.Lamp)))
	lit.Windows = emitting(in.Windows, times(in.per[1], spatial.Vec64(l.Sky)))
	return lit, in
}

// emitting returns a copy of the panels in which each panel emits the given radiance.
func emitting(panels []Panel, radiance mgl64.Vec3) []Panel {
	out := append([]Panel(nil), panels...)
	for i := range out {
		out[i].Radiance = radiance
	}
	return out
}

// lampsOf returns the lamps in a room's ceiling. It replaces values of 0 by their defaults.
func lampsOf(r *render.Room) render.CeilingLamps {
	l, common := r.Lamps, render.DefaultCeilingLamps()
	for i := range 2 {
		l.Size[i], l.Pitch[i] = cmp.Or(l.Size[i], common.Size[i]), cmp.Or(l.Pitch[i], common.Pitch[i])
	}
	return l
}

// newHall adds panels and windows to a hall of which the argument size contains the dimensions and the bulbs. It
// computes the interreflection of their light.
func newHall(size Illumination, lamps *render.CeilingLamps, toLamp mgl64.Vec3, floor reflectances, of content) *hall {
	size.Panels = size.ceilingPanels(lamps, toLamp)
	size.Windows = size.wallWindows()
	in := &hall{box: newBox(&size, &floor), Illumination: size, toLamp: toLamp, floor: floor, content: of}
	per := in.per[:]
	kept.Get(of.keptAs("hall"), in.interreflect, kept.Slice(&in.factors), kept.Slice(&in.centre),
		kept.Slice(&in.unit[0]), kept.Slice(&in.unit[1]), kept.Slice(&per))
	copy(in.per[:], per)
	return in
}

// interreflect computes the form factors, and unit and per.
func (in *hall) interreflect() {
	in.findFactors()
	for i, group := range []struct {
		panels []Panel
		share  float64 // fraction of the light that reaches the floor
	}{{in.Panels, in.toLamp[2]}, {in.Windows, 1}} {
		unit, radiances := in.atCentre(group.panels)
		in.unit[i] = radiances
		for c := range in.per[i] {
			in.per[i][c] = max(group.share, 0) / unit[c]
		}
	}
}

// ceilingPanels returns panels of radiance 1. Their common centre is the point where a ray from the centre of the floor
// towards the lamp meets the ceiling. If panelsReach does not permit this, it is the nearest permitted point.
func (out *Illumination) ceilingPanels(lamps *render.CeilingLamps, toLamp mgl64.Vec3) (all []Panel) {
	rise := max(toLamp[2], 0.1)
	row := func(half, shift, size, pitch float64) Row {
		middle := mgl64.Clamp(out.Height*shift/rise, -panelsReach*half, panelsReach*half)
		reach := min(panelsReach*half, half-math.Abs(middle)-size)
		n := max(int(math.Round(min(2*reach/pitch, mostPanels))), 1)
		return Row{middle + reach*(1/float64(n)-1), 2 * reach / float64(n), size, n}
	}
	// The room's margin ensures that HalfX and HalfY are larger than a panel.
	u, v := min(lamps.Size[0]/2, densest*lamps.Pitch[0]/2, out.HalfX/4),
		min(lamps.Size[1]/2, densest*lamps.Pitch[1]/2, out.HalfY/4)
	x, y := row(out.HalfX, toLamp[0], u, lamps.Pitch[0]), row(out.HalfY, toLamp[1], v, lamps.Pitch[1])
	out.PanelRows = [2]Row{x, y}
	for j := range y.N {
		for i := range x.N {
			all = append(all, Panel{mgl64.Vec3{x.At(i), y.At(j), out.Height}, mgl64.Vec3{u, 0, 0}, mgl64.Vec3{0, -v, 0},
				mgl64.Vec3{1, 1, 1}})
		}
	}
	return all
}

// wallWindows returns rows of windows of radiance 1 below the ceiling, in all four walls.
func (out *Illumination) wallWindows() (all []Panel) {
	out.WindowLow, out.WindowHigh = windowLow*out.Height, windowHigh*out.Height
	z, up := (out.WindowLow+out.WindowHigh)/2, mgl64.Vec3{0, 0, (out.WindowHigh - out.WindowLow) / 2}
	for axis, half := range [2]float64{out.HalfY, out.HalfX} {
		n := max(int(math.Round(2*half/windowPitch)), 1)
		row := Row{half * (1/float64(n) - 1), 2 * half / float64(n), max(half/float64(n)-windowGap/2,
			half/float64(2*n)), n}
		out.WindowRows[axis] = row
		for _, side := range [2]float64{-1, 1} { // along × the inward normal points up, for both walls
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
