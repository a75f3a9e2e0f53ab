package scenery

import (
	"iter"
	"math"
	"math/rand/v2"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
)

// rollShades is the difference in reflectance between neighbouring rolls of carpet, where the seam is most visible. The
// value is a guess.
const rollShades = 0.08

// addWear adds traces of use to the floor of a scene. The hall says how strong they are.
func addWear(f *render.Floor, field *physics.Field, h *worlds.Hall) {
	f.Sheen = h.Sheen
	f.Seams = render.Seams{Pitch: h.Roll, Dark: 0.7 * h.Seams}
	rolls := h.Roll > 0 && h.Seams > 0
	f.Traces = nil
	if h.Wear <= 0 && h.LineWear <= 0 && !rolls {
		return
	}
	t := &traces{Traces: render.NewTraces(f), random: rand.New(rand.NewPCG(h.Seed, 7))}
	worn := t.tracks(field)
	lost := func(i int) float64 { return h.Wear * (1 - math.Exp(-float64(worn[i]))) }
	shades := make([]float64, 64)
	for i := range shades {
		shades[i] = t.random.Float64() * rollShades * h.Seams
	}
	for i := range worn {
		x, y := t.texelCentre(i)
		kept := 1 - lost(i)
		if rolls {
			kept *= 1 - shades[int(math.Abs(math.Floor(y/h.Roll+0.5)+32))%len(shades)]
		}
		if math.Abs(x) < f.SizeX/2 && math.Abs(y) < f.SizeY/2 {
			t.set(i, render.Kept, kept)
		}
	}
	if h.LineWear > 0 {
		t.soil(f.Marks, worn, h.LineWear)
	}
	f.Traces = t.Traces
}

// traces is a map of traces of use, while it is being computed.
type traces struct {
	*render.Traces
	random *rand.Rand
}

// texel returns the length of a texel's side, in m.
func (t *traces) texel() float64 { return t.Size / render.TraceTexels }

// texelCentre returns the position of the centre of a texel, in m.
func (t *traces) texelCentre(i int) (x, y float64) {
	place := func(k int) float64 { return (float64(k)+0.5)*t.texel() - t.Size/2 }
	return place(i % render.TraceTexels), place(i / render.TraceTexels)
}

func (t *traces) set(i, channel int, share float64) {
	t.Pix[4*i+channel] = byte(math.Round(255 * min(max(share, 0), 1)))
}

func (t *traces) between(lo, hi float64) float64 { return lo + (hi-lo)*t.random.Float64() }

// track is a straight or circular strip of carpet over which wheels have driven.
type track struct {
	x, y      float64 // position at which the track starts, m
	heading   float64
	length    float64
	curvature float64 // 1/metre, positive to the left
	half      float64 // half of the track's width, m
	depth     float64 // depth of the wear at the centre line of the track; a depth of 1 takes 63 % of what can be worn
}

// tracks returns how much robots and people have worn each texel. Keepers move to and fro in front of their goals.
// Games start, and robots turn, around the centre circle and in front of goals. People walk along the lines.
func (t *traces) tracks(f *physics.Field) []float32 {
	worn := make([]float32, render.TraceTexels*render.TraceTexels)
	hx, hy := f.Length/2, f.Width/2
	normal := func(sigma float64) float64 { return t.random.NormFloat64() * sigma }
	robot := func() float64 { return t.between(0.16, 0.26) } // half the width of a robot's track, m
	// Where the wear is densest, single tracks cannot be distinguished.
	blur := func(x, y, spread, depth float64) {
		for range 14 {
			t.draw(worn, track{x + normal(spread/3), y + normal(spread), t.between(0, math.Pi), t.between(1, 3),
				normal(0.3), t.between(0.4, 0.9), t.between(0.3, 1) * depth})
		}
	}
	blur(0, 0, max(f.CentreCircle, 1)*0.4, 0.1)
	for _, side := range []float64{-1, 1} {
		blur(side*(hx-1), 0, f.GoalWidth/2, 0.15)
		for range 26 { // tracks of keepers
			x, y := side*(hx-t.between(0.15, 0.9)), normal(f.GoalWidth/3)
			t.draw(worn, track{x, y, math.Pi/2 + normal(0.12), t.between(0.5, 2), normal(0.15), robot(),
				t.between(0.15, 0.5)})
		}
		for range 40 { // tracks of shots at goals
			x, y := side*(hx-t.between(1, 4)), normal(hy/3)
			t.draw(worn, track{x, y, t.between(0, 2*math.Pi), t.between(0.5, 3), normal(0.8), robot(),
				t.between(0.08, 0.35)})
		}
		for range 24 { // tracks of people along the touch lines
			x, y := normal(hx/2), side*(hy+t.between(0.15, max(f.Border-0.2, 0.16)))
			t.draw(worn, track{x, y, normal(0.05), t.between(2, 7), normal(0.02), t.between(0.12, 0.22),
				t.between(0.1, 0.35)})
		}
	}
	for range 44 { // tracks of starts of games
		angle, far := t.between(0, 2*math.Pi), math.Abs(normal(max(f.CentreCircle, 1)*0.7))
		x, y := far*math.Cos(angle), far*math.Sin(angle)
		t.draw(worn, track{x, y, angle + normal(0.8), t.between(0.4, 2.2), normal(1.2), robot(), t.between(0.12, 0.45)})
	}
	for range 90 { // tracks anywhere on the field
		x, y := t.between(-hx, hx), t.between(-hy, hy)
		t.draw(worn, track{x, y, t.between(0, 2*math.Pi), t.between(0.6, 4), normal(0.5), robot(),
			t.between(0.05, 0.25)})
	}
	return worn
}

// draw adds a track to the wear. The wheels leave streaks along the track, which fade at its sides and ends.
func (t *traces) draw(worn []float32, k track) {
	const step = 0.5 // in texels
	streaks, phase := 2*math.Pi/t.between(0.11, 0.19), t.between(0, 2*math.Pi)
	d := t.texel() * step
	texel := func(x float64) int { return int(math.Floor((x + t.Size/2) / t.texel())) }
	x, y, heading := k.x, k.y, k.heading
	for along := 0.0; along < k.length; along += d {
		sin, cos := math.Sincos(heading)
		fade := min(along, k.length-along, 0.3) / 0.3
		for across := -k.half; across <= k.half; across += d {
			i, j := texel(x-across*sin), texel(y+across*cos)
			if i < 0 || j < 0 || i >= render.TraceTexels || j >= render.TraceTexels {
				continue
			}
			u := 1 - across*across/(k.half*k.half)
			worn[j*render.TraceTexels+i] += float32(k.depth * fade * u * (0.8 + 0.2*math.Cos(across*streaks+phase)) *
				step * step)
		}
		x, y, heading = x+d*cos, y+d*sin, heading+d*k.curvature
	}
}

// tear is a missing piece of the tape of a marking.
type tear struct {
	along, half float64 // position of the tear's centre along the tape, and half of the tear's length, m
	slope       float64 // slope of the tear's ends, across the tape
	// a tear at an edge of the tape extends from the fraction from of the half width to the edge at this side, 1 or −1;
	// a tear with side 0 crosses the whole tape
	side, from float64
}

// soil wears the tape of the markings by an amount from 0 to 1. The tape becomes wavy, dirty and creased, and in places
// is torn off. It is dirtiest where the carpet is most worn.
func (t *traces) soil(marks []spatial.Mark, worn []float32, amount float64) {
	seed := t.random.Uint64()
	for i := range worn {
		x, y := t.texelCentre(i)
		dirt := amount * (0.05 + 0.15*noise(seed, x/0.7, y/0.7) + 0.2*stain(noise(seed+2, x/0.16, y/0.16)) +
			0.4*(1-math.Exp(-1.5*float64(worn[i]))))
		t.set(i, render.Clean, 1-dirt)
		shift := amount * 1.6 * (noise(seed+1, x/0.9, y/0.9) - 0.5) // fraction of ShiftReach
		t.Pix[4*i+render.Shift] = byte(math.Round(128 + 127*min(max(shift, -1), 1)))
	}
	for k := range marks {
		t.wearOff(&marks[k], amount)
	}
}

// stain turns a noise value into the strength of a stain, 0 to 1, so that stains form patches.
func stain(noise float64) float64 { return min(max(noise-0.55, 0)/0.25, 1) }

// wearOff tears and creases the tape of one marking.
func (t *traces) wearOff(m *spatial.Mark, amount float64) {
	length := 0.0
	switch m.Kind {
	case spatial.Segment:
		length = math.Hypot(m.B[0]-m.A[0], m.B[1]-m.A[1])
	case spatial.Arc:
		length = m.Radius * m.Sweep
	case spatial.Spot:
		return
	}
	var tears []tear
	for range t.count(amount * length / 3.5) {
		one := tear{along: t.between(0, length), half: t.between(0.02, 0.16), slope: 0.4 * t.random.NormFloat64()}
		if t.random.IntN(3) > 0 { // the tear is at one edge of the tape
			one.side, one.from, one.half = float64(2*t.random.IntN(2)-1), t.between(-0.4, 0.7), one.half*1.5
		}
		tears = append(tears, one)
	}
	type crease struct{ along, half, dark float64 }
	var creases []crease
	for range t.count(amount * length / 1.5) {
		creases = append(creases, crease{t.between(0, length), t.between(0.02, 0.05), t.between(0.1, 0.35)})
	}
	half, seed := m.Width/2, t.random.Uint64()
	reach := half + 3*t.texel()
	for i := range t.around(m, reach) {
		x, y := t.texelCentre(i)
		along, across, ok := onMark(m, x, y, reach)
		if !ok {
			continue
		}
		there := math.Inf(1) // distance to the next tear of the tape, m
		for _, g := range tears {
			ragged := 0.03 * (noise(seed, along/0.05, across/0.05) - 0.5)
			out := math.Abs(along-g.along-g.slope*across) - g.half + ragged
			if g.side != 0 {
				out = max(out, g.from*half-g.side*across+ragged)
			}
			there = min(there, out)
		}
		t.set(i, render.There, 0.5+there/t.texel())
		for _, c := range creases {
			if off := math.Abs(along - c.along - 0.15*across); off < c.half {
				clean := float64(t.Pix[4*i+render.Clean]) / 255
				t.set(i, render.Clean, clean*(1-amount*c.dark*(1-off/c.half)))
			}
		}
	}
}

// around iterates over the texels of a rectangle around a marking. The rectangle extends beyond the marking by reach,
// in m.
func (t *traces) around(m *spatial.Mark, reach float64) iter.Seq[int] {
	lo, hi := m.A, m.A
	for axis := range 2 {
		if m.Kind == spatial.Segment {
			lo[axis], hi[axis] = min(lo[axis], m.B[axis]), max(hi[axis], m.B[axis])
		}
		texel := func(x float64) float64 {
			return min(max(math.Floor((x+t.Size/2)/t.texel()), 0),
				render.TraceTexels-1)
		}
		lo[axis], hi[axis] = texel(lo[axis]-m.Radius-reach), texel(hi[axis]+m.Radius+reach)
	}
	return func(yield func(int) bool) {
		for row := int(lo[1]); row <= int(hi[1]); row++ {
			for col := int(lo[0]); col <= int(hi[0]); col++ {
				if !yield(row*render.TraceTexels + col) {
					return
				}
			}
		}
	}
}

// count returns a random whole number next to mean. Its expected value is mean.
func (t *traces) count(mean float64) int { return int(mean + t.random.Float64()) }

// onMark returns the position of a point relative to a marking: along the marking from its start, and across it from
// its centre line, in m. The result ok is false if the point is farther from the marking than reach.
func onMark(m *spatial.Mark, x, y, reach float64) (along, across float64, ok bool) {
	x, y = x-m.A[0], y-m.A[1]
	if m.Kind == spatial.Segment {
		dx, dy := m.B[0]-m.A[0], m.B[1]-m.A[1]
		l := math.Hypot(dx, dy)
		if l == 0 {
			return 0, 0, false
		}
		along, across = (x*dx+y*dy)/l, (y*dx-x*dy)/l
		return along, across, math.Abs(across) < reach && along > -reach && along < l+reach
	}
	across = math.Hypot(x, y) - m.Radius
	if math.Abs(across) >= reach {
		return 0, 0, false
	}
	turn := math.Mod(math.Atan2(y, x)-m.From+4*math.Pi, 2*math.Pi)
	return turn * m.Radius, across, turn <= m.Sweep+reach
}

// noise returns a smooth random number for a place, 0 to 1. There is one random number for each pair of whole numbers x
// and y. Between these places the values are interpolated with cubic polynomials.
func noise(seed uint64, x, y float64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	corner := func(i, j float64) float64 {
		// constants of splitmix64 and xxhash
		h := seed ^ uint64(int64(fx+i))*0x9e3779b97f4a7c15 ^ uint64(int64(fy+j))*0xc2b2ae3d27d4eb4f
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		return float64((h^h>>31)>>11) / (1 << 53)
	}
	smooth := func(t float64) float64 { return t * t * (3 - 2*t) }
	u, v := smooth(x-fx), smooth(y-fy)
	return (corner(0, 0)*(1-u)+corner(1, 0)*u)*(1-v) + (corner(0, 1)*(1-u)+corner(1, 1)*u)*v
}
