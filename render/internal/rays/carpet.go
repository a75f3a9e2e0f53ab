package rays

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Carpet is the floor with its markings and its grain.
type Carpet struct {
	Color      Vec        // linear reflectance of the carpet
	half       [2]float32 // half sizes of the carpet, metres
	line       Vec
	bare       Vec
	wear       float32
	marks      []mark
	cells      [][]uint16 // markings near each cell, as indices into marks
	side       float32    // of a cell, metres
	cols, rows int
	// mip levels, each with a quarter of the texels of the previous level; values from −0.5 to 0.5
	grain       [][]float32
	grainOffset float32 // log2 of texels per metre
	image       *render.FloorImage
	place       [2]mgl32.Vec2 // of the image: scale and offset
	used        *used         // effects of the floor's Traces and seams; nil in plain light
}

// mark is a spatial.Mark prepared to compute the fraction of a pixel that it covers.
type mark struct {
	arc         bool
	x, y        float32 // centre
	dx, dy      float32 // unit vector along the line, or from the centre of the arc to its middle
	reach, half float32 // half length of a line, or radius of an arc; then half width
	low         float32 // cosine of half the arc's angle
}

func newMark(k spatial.Mark) mark {
	switch k.Kind {
	case spatial.Arc:
		s, c := math.Sincos(k.From + k.Sweep/2)
		low := math.Cos(math.Min(k.Sweep/2, math.Pi))
		if k.Sweep >= 2*math.Pi {
			low = -2
		}
		return mark{true, float32(k.A[0]), float32(k.A[1]), float32(c), float32(s), float32(k.Radius),
			float32(k.Width / 2), float32(low)}
	case spatial.Spot:
		return mark{true, float32(k.A[0]), float32(k.A[1]), 1, 0, 0, float32(k.Radius), -2}
	}
	dx, dy := k.B[0]-k.A[0], k.B[1]-k.A[1]
	l := math.Hypot(dx, dy)
	if l == 0 {
		dx, l = 1, 1
	}
	// Both ends of a line are extended by half its width, so that corners are closed.
	return mark{false, float32(k.A[0]+k.B[0]) / 2, float32(k.A[1]+k.B[1]) / 2, float32(dx / l), float32(dy / l),
		float32(math.Hypot(k.B[0]-k.A[0], k.B[1]-k.A[1])/2 + k.Width/2), float32(k.Width / 2), 0}
}

// cellSide is the side of a cell of the list of markings, metres. 0.5 is a guess. It is wider than the footprint of a
// pixel that shows the floor near the camera.
const cellSide = 0.5

// NewCarpet prepares the floor of a scene for plain light. The caller sets Color.
func NewCarpet(s *render.Scene) Carpet { return newCarpet(s, false) }

// NewUsedCarpet prepares the floor of a scene for natural or traced light, with traces of use. The caller sets Color.
func NewUsedCarpet(s *render.Scene) Carpet { return newCarpet(s, true) }

func newCarpet(s *render.Scene, all bool) Carpet {
	f := &s.Floor
	hx, hy := float32(f.SizeX/2), float32(f.SizeY/2)
	c := Carpet{
		half: [2]float32{hx, hy}, wear: float32(f.Wear),
		line: Vec32(f.LineColor), bare: Vec32(s.Room.Floor), side: cellSide,
		cols: int(math.Ceil(f.SizeX/cellSide)) + 1, rows: int(math.Ceil(f.SizeY/cellSide)) + 1,
		grainOffset: float32(math.Log2(render.GrainSize * render.GrainRepeats)),
	}
	c.cells = make([][]uint16, c.cols*c.rows)
	for i, k := range f.Marks {
		m := newMark(k)
		c.marks = append(c.marks, m)
		for row := range c.rows {
			for col := range c.cols {
				x, y := (float32(col)+0.5)*c.side-hx, (float32(row)+0.5)*c.side-hy
				// A footprint is at most a cell wide, so it extends at most half a cell beyond the cell.
				if m.near(x, y, c.side*1.5) {
					c.cells[row*c.cols+col] = append(c.cells[row*c.cols+col], uint16(i))
				}
			}
		}
	}
	c.buildGrain(f)
	if c.image = f.Image; c.image != nil {
		c.place[0], c.place[1] = c.image.Place()
	}
	if all {
		c.wear, c.used = 0, newUsed(f)
	}
	return c
}

// near reports whether a point is within reach of a marking.
func (m *mark) near(x, y, reach float32) bool {
	qx, qy := x-m.x, y-m.y
	if m.arc {
		return Abs(Sqrt(qx*qx+qy*qy)-m.reach) < m.half+reach
	}
	return Abs(qx*m.dx+qy*m.dy) < m.reach+reach && Abs(qx*m.dy-qy*m.dx) < m.half+reach
}

// buildGrain computes the mip levels of the floor's grain.
func (c *Carpet) buildGrain(f *render.Floor) {
	level := make([]float32, render.GrainSize*render.GrainSize)
	for i, g := range f.Grain() {
		level[i] = float32(g)/255 - 0.5
	}
	for size := render.GrainSize; ; size /= 2 {
		c.grain = append(c.grain, level)
		if size == 1 {
			return
		}
		half := size / 2
		next := make([]float32, half*half)
		for y := range half {
			for x := range half {
				i := 2*y*size + 2*x
				next[y*half+x] = (level[i] + level[i+1] + level[i+size] + level[i+size+1]) / 4
			}
		}
		level = next
	}
}

// grainAt returns the grain at a point for a pixel with a width of 2^octave metres. It interpolates bilinearly in the
// nearest mip level.
func (c *Carpet) grainAt(x, y, octave float32) float32 {
	return c.texel(min(max(int(octave+c.grainOffset+0.5), 0), len(c.grain)-1), x*render.GrainRepeats,
		y*render.GrainRepeats)
}

// texel interpolates a level of the grain bilinearly at (u, v). The grain repeats with period 1.
func (c *Carpet) texel(level int, u, v float32) float32 {
	size := render.GrainSize >> level
	texels := c.grain[level]
	u, v = u*float32(size)-0.5, v*float32(size)-0.5
	fu, fv := Floor(u), Floor(v)
	mask := size - 1
	x0, y0 := int(fu)&mask, int(fv)&mask
	x1, y1 := (x0+1)&mask, (y0+1)&mask
	u, v = u-fu, v-fv
	top := texels[y0*size+x0]*(1-u) + texels[y0*size+x1]*u
	low := texels[y1*size+x0]*(1-u) + texels[y1*size+x1]*u
	return top*(1-v) + low*v
}

// Footprint holds two displacements on the floor, in metres. They lead from the point that a pixel shows to the points
// that the next pixel on the right and the next pixel below show.
type Footprint struct{ XX, XY, YX, YY float32 }

// NewFootprint returns the Footprint with the given displacements.
func NewFootprint(x, y Vec) *Footprint { return &Footprint{x.X, x.Y, y.X, y.Y} }

// across returns the footprint's width along a direction of unit length.
func (f *Footprint) across(nx, ny float32) float32 {
	a, b := f.XX*nx+f.XY*ny, f.YX*nx+f.YY*ny
	return Sqrt(a*a + b*b + 1e-10)
}

// band returns the fraction of an interval of width w around s that lies between −reach and reach.
func band(s, reach, w float32) float32 {
	if Abs(s)+w/2 <= reach {
		// This avoids rounding, which would lose part of a point's interval of 1e-5 m far from 0.
		return 1
	}
	lo, hi := max(s-w/2, -reach), min(s+w/2, reach)
	if hi <= lo {
		return 0
	}
	return (hi - lo) / w
}

// cover returns the fraction of a footprint at (x, y) that a marking covers. The marking is displaced sideways by
// shift, metres.
func (m *mark) cover(x, y, shift float32, f *Footprint) float32 {
	qx, qy := x-m.x, y-m.y
	along := qx*m.dx + qy*m.dy
	if !m.arc {
		across := band(qy*m.dx-qx*m.dy+shift, m.half, f.across(-m.dy, m.dx))
		if across == 0 {
			return 0
		}
		return across * band(along, m.reach, f.across(m.dx, m.dy))
	}
	r := Sqrt(qx*qx + qy*qy)
	inv := 1 / max(r, 1e-4)
	if along < m.low*r {
		return 0
	}
	return band(r-m.reach+shift, m.half, f.across(qx*inv, qy*inv))
}

// Albedo returns the floor's reflectance at a point.
func (c *Carpet) Albedo(x, y float32, f *Footprint) Vec {
	paint, _ := c.Matter(x, y, f)
	return paint
}

// Matter returns the floor's reflectance at a point, and its sheen as a fraction of the sheen of a new carpet.
func (c *Carpet) Matter(x, y float32, f *Footprint) (paint Vec, sheen float32) {
	octave := 0.5 * Log2(max(f.XX*f.XX+f.XY*f.XY, f.YX*f.YX+f.YY*f.YY, 1e-12))
	grain := c.grainAt(x, y, octave)
	inside := band(x, c.half[0], Abs(f.XX)+Abs(f.YX)+1e-5) * band(y, c.half[1], Abs(f.XY)+Abs(f.YY)+1e-5)
	bare := c.bare.Mul(1 + render.BareGrain*grain)
	if inside == 0 {
		return bare, 0
	}
	var tape tape
	line := c.line
	if c.used != nil {
		tape = c.used.tape(x, y, octave)
		line = line.Mul(1 - tape.dirt)
	}
	cover := c.covered(x, y, tape.shift, f) * (1 - tape.gone)
	paint = c.Color
	if c.image != nil {
		scale, offset := c.place[0], c.place[1]
		paint = paint.Times(Textured(c.image.Texture, V(x*scale[0]+offset[0], y*scale[1]+offset[1], 0),
			V(f.XX*scale[0], f.XY*scale[1], 0), V(f.YX*scale[0], f.YY*scale[1], 0)))
	}
	if cover > 0 {
		paint = paint.Mix(line, cover)
	}
	paint = paint.Mul(1 + (render.CarpetGrain+(render.LineGrain-render.CarpetGrain)*cover)*grain)
	if c.wear > 0 {
		paint = paint.Mul(1 - c.wear*Smoothstep(render.WearFrom, render.WearTo, c.texel(0, x*render.WearRepeats,
			y*render.WearRepeats)+0.5))
	}
	sheen = 1 - cover
	if c.used != nil {
		kept := c.used.traces.KeptAt(x, y) * (1 - c.used.seam(y, Abs(f.XY)+Abs(f.YY)+1e-5)*(1-cover))
		paint, sheen = paint.Mul(kept), sheen*kept
	}
	if inside < 1 {
		paint, sheen = bare.Mix(paint, inside), sheen*inside
	}
	return paint, sheen
}

// Cover returns the fraction of a footprint at (x, y) that markings cover, if they are not displaced.
func (c *Carpet) Cover(x, y float32, f *Footprint) float32 { return c.covered(x, y, 0, f) }

func (c *Carpet) covered(x, y, shift float32, f *Footprint) float32 {
	cover := float32(0)
	col, row := int((x+c.half[0])/c.side), int((y+c.half[1])/c.side)
	if col >= 0 && row >= 0 && col < c.cols && row < c.rows {
		for _, i := range c.cells[row*c.cols+col] {
			cover += c.marks[i].cover(x, y, shift, f)
		}
	}
	return min(cover, 1)
}

// used describes how use and seams change the appearance of a floor.
type used struct {
	traces      *render.Traces // nil without
	levels      [][]byte       // of their map
	perMetre    float32        // texels
	offset      float32        // log2 of perMetre
	pitch, dark float32        // of seams
}

func newUsed(f *render.Floor) *used {
	u := &used{traces: f.Traces, pitch: float32(f.Seams.Pitch), dark: float32(f.Seams.Dark)}
	if f.Traces != nil {
		u.levels, u.perMetre = f.Traces.Levels(), float32(render.TraceTexels/f.Traces.Size)
		u.offset = Log2(u.perMetre)
	}
	return u
}

// at returns the parameters of an interpolation between the four texels around a point in a level. i is the index of
// the lower left texel. right and above are the offsets from this index to those of its right and its upper neighbour.
// s is the weight of the right texels, and t is the weight of the upper texels.
func (u *used) at(level int, x, y float32) (i, right, above int, s, t float32) {
	size := render.TraceTexels >> level
	place := func(x float32) float32 {
		return min(max((x*u.perMetre+render.TraceTexels/2)/float32(int(1)<<level)-0.5, 0), float32(size-1))
	}
	px, py := place(x), place(y)
	col, row := min(int(px), max(size-2, 0)), min(int(py), max(size-2, 0))
	step := min(1, size-1)
	return 4 * (row*size + col), 4 * step, 4 * step * size, px - float32(col), py - float32(row)
}

// mixed interpolates between four texels. The result is between 0 and 1. See used.at for the other arguments.
func mixed(p []byte, right, above int, s, t float32) float32 {
	low := float32(p[0])*(1-s) + float32(p[right])*s
	high := float32(p[above])*(1-s) + float32(p[right+above])*s
	return (low*(1-t) + high*t) / 255
}

// tape is the state of the markings' tape at a point. The zero value is new tape that is not displaced.
type tape struct {
	dirt, gone float32 // lost fractions of the tape's light and of the tape itself
	shift      float32 // metres
}

// tape returns the state of the tape for a pixel with a width of 2^octave metres.
func (u *used) tape(x, y, octave float32) (t tape) {
	if u.levels == nil {
		return t
	}
	level := min(max(int(octave+u.offset+0.5), 0), len(u.levels)-1)
	i, right, above, s, v := u.at(level, x, y)
	of := func(c int) float32 { return mixed(u.levels[level][i+c:], right, above, s, v) }
	sharp := min(max(float32(math.Exp2(float64(-octave-u.offset))), 1), render.SharpestTape)
	return tape{1 - of(render.Clean), 1 - Clamp01((of(render.There)-0.5)*sharp+0.5), (of(render.Shift) - 128.0/255) *
		(render.ShiftReach * 255 / 127)}
}

// seam returns the fraction of light that is lost in the seams between rolls, for a footprint of the given width around
// y.
func (u *used) seam(y, width float32) float32 {
	if u.pitch <= 0 || u.dark <= 0 {
		return 0
	}
	at := y / u.pitch
	off := (at - Floor(at) - 0.5) * u.pitch // the edges of the central roll are half a pitch from y = 0
	return u.dark * band(off, render.SeamHalf, min(width, u.pitch))
}
