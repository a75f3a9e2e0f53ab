package gl

import (
	"math"
	"reflect"
	"sync"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// seenSize is the side of a lens's table of directions, texels. With 512 the error is below 0.01 pixels for a lens of 640 pixels.
const seenSize = 512

// lens is a camera model without a formula in the shaders, as two tables: the direction of each pixel, and the pixel of each
// direction. Directions have the stereographic coordinates s = (x, y)/(1 ± z).
type lens struct {
	model     optics.Model
	axis      float64 // 1 or −1: the direction of the image's middle is +z or −z
	turned    bool    // the image is mirrored
	reach     float64 // the largest angle of a pixel's direction from the axis, rad
	edge      float64 // the stereographic radius at which the table of directions ends
	focal     float64 // pixels per radian in the middle
	sharpness float64 // the most pixels that a radian takes
	centre    [2]float64
	real      [4]float64 // of the real camera, which may look into a mirror: 1/fx, 1/fy and centre, pixels
	rays      []float32  // of each pixel: x, y, z in the optical frame, and 1 if the optics image it
	seen      []float32  // of each direction: the pixel u, v
	corners   []mgl64.Vec3
	tiles     []tileView
	raysID    uint32
	seenID    uint32
}

// tileView is how much of a tile the optics image.
type tileView uint8

const (
	blindTile tileView = iota
	edgeTile
	wholeTile
)

func newLens(m optics.Model) *lens {
	l := &lens{model: m, axis: 1}
	w, h := m.Size()
	l.centre = [2]float64{float64(w-1) / 2, float64(h-1) / 2}
	if d, ok := m.Unproject(l.centre[0], l.centre[1]); ok && d[2] < 0 {
		l.axis = -1
	}
	if u, v, ok := m.Project(mgl64.Vec3{0, 0, l.axis}); ok {
		l.centre = [2]float64{u, v}
	}
	cu, cv, fu, fv := optics.Paraxial(m)
	l.real = [4]float64{1 / fu, 1 / fv, cu, cv}
	l.computeRays(w, h)
	l.edge = math.Tan(math.Min(l.reach+0.1, 0.95*math.Pi) / 2)
	l.computePixels()
	l.measureDistortion()
	return l
}

// computeRays fills the table of pixels and what the tiles need.
func (l *lens) computeRays(w, h int) {
	l.rays = make([]float32, 4*w*h)
	cols, rows := tilesOf(w), tilesOf(h)
	views := make([]int, cols*rows)
	for v := range h {
		for u := range w {
			d, ok := l.model.Unproject(float64(u), float64(v))
			if !ok {
				continue
			}
			ray := l.rays[4*(v*w+u):]
			ray[0], ray[1], ray[2], ray[3] = float32(d[0]), float32(d[1]), float32(d[2]), 1
			l.reach = math.Max(l.reach, math.Acos(mgl64.Clamp(l.axis*d[2], -1, 1)))
			views[v/tileSize*cols+u/tileSize]++
		}
	}
	l.corners = make([]mgl64.Vec3, (cols+1)*(rows+1))
	sharp := make([]bool, len(l.corners))
	for i := range l.corners {
		u, v := float64(i%(cols+1)*tileSize), float64(i/(cols+1)*tileSize)
		l.corners[i], sharp[i] = l.model.Unproject(u-0.5, v-0.5)
		if !sharp[i] {
			l.corners[i] = mgl64.Vec3{0, 0, l.axis} // of a tile that is drawn as one of any kind
		}
	}
	l.tiles = make([]tileView, cols*rows)
	for i, n := range views {
		col, row := i%cols, i/cols
		at := row*(cols+1) + col
		switch {
		case n == 0:
			l.tiles[i] = blindTile
		case n == (min((col+1)*tileSize, w)-col*tileSize)*(min((row+1)*tileSize, h)-row*tileSize) &&
			sharp[at] && sharp[at+1] && sharp[at+cols+1] && sharp[at+cols+2]:
			l.tiles[i] = wholeTile
		default:
			l.tiles[i] = edgeTile
		}
	}
}

// tilesOf returns the number of tiles that cover a side in pixels.
func tilesOf(pixels int) int { return (pixels + tileSize - 1) / tileSize }

// direction returns the direction with the stereographic coordinates (x, y).
func (l *lens) direction(x, y float64) mgl64.Vec3 {
	k := 2 / (1 + x*x + y*y)
	return mgl64.Vec3{k * x, k * y, l.axis * (k - 1)}
}

// computePixels fills the table of directions. Beyond what the optics image it extrapolates linearly, so that triangles across the edge
// are right up to it.
func (l *lens) computePixels() {
	l.seen = make([]float32, 2*seenSize*seenSize)
	var rows sync.WaitGroup
	for row := range seenSize {
		rows.Go(func() {
			for col := range seenSize {
				x, y := l.edge*(2*float64(col)/(seenSize-1)-1), l.edge*(2*float64(row)/(seenSize-1)-1)
				u, v := l.extended(x, y)
				l.seen[2*(row*seenSize+col)], l.seen[2*(row*seenSize+col)+1] = float32(u), float32(v)
			}
		})
	}
	rows.Wait()
}

func (l *lens) extended(x, y float64) (u, v float64) {
	u, v, ok := l.model.Project(l.direction(x, y))
	if ok {
		return u, v
	}
	lo, hi := 0.0, 1.0 // shares of the distance from the axis
	for range 16 {     // to a hundredth of a texel
		mid := (lo + hi) / 2
		if _, _, ok := l.model.Project(l.direction(mid*x, mid*y)); ok {
			lo = mid
		} else {
			hi = mid
		}
	}
	u, v, _ = l.model.Project(l.direction(lo*x, lo*y))
	const back = 0.99
	bu, bv, ok := l.model.Project(l.direction(back*lo*x, back*lo*y))
	if !ok || lo == 0 {
		return l.centre[0], l.centre[1]
	}
	k := (1 - lo) / (lo * (1 - back))
	return u + k*(u-bu), v + k*(v-bv)
}

// measureDistortion computes from the table of directions how many pixels an angle takes, and whether the image is mirrored.
func (l *lens) measureDistortion() {
	step := 2 * l.edge / (seenSize - 1)
	at := func(col, row int) (u, v float64) {
		i := 2 * (row*seenSize + col)
		return float64(l.seen[i]), float64(l.seen[i+1])
	}
	inner := math.Tan(l.reach / 2)
	for row := range seenSize - 1 {
		for col := range seenSize - 1 {
			x, y := l.edge*(2*float64(col)/(seenSize-1)-1), l.edge*(2*float64(row)/(seenSize-1)-1)
			if r2 := x*x + y*y; r2 < inner*inner {
				u, v := at(col, row)
				ur, vr := at(col+1, row)
				ud, vd := at(col, row+1)
				angle := step * 2 / (1 + r2) // of a step
				l.sharpness = math.Max(l.sharpness, math.Max(math.Hypot(ur-u, vr-v), math.Hypot(ud-u, vd-v))/angle)
				if col == seenSize/2 && row == seenSize/2 {
					det := (ur-u)*(vd-v) - (vr-v)*(ud-u)
					l.turned = det*l.axis < 0
					l.focal = math.Sqrt(math.Abs(det)) / angle
				}
			}
		}
	}
}

// image returns the pixel of a unit vector in the optical frame, (0, 0) being the middle of the first pixel; false beyond the table.
func (l *lens) image(dirC mgl64.Vec3) (u, v float64, ok bool) {
	w := 1 + l.axis*dirC[2]
	if w < 1e-6 {
		return 0, 0, false
	}
	x := (dirC[0]/w/l.edge + 1) / 2 * (seenSize - 1)
	y := (dirC[1]/w/l.edge + 1) / 2 * (seenSize - 1)
	if !(x >= 0 && y >= 0 && x < seenSize-1 && y < seenSize-1) {
		return 0, 0, false
	}
	i := 2 * (int(y)*seenSize + int(x))
	_, fx := math.Modf(x)
	_, fy := math.Modf(y)
	mix := func(k int) float64 {
		t := l.seen[i+k:]
		up := float64(t[0])*(1-fx) + float64(t[2])*fx
		down := float64(t[2*seenSize])*(1-fx) + float64(t[2*seenSize+2])*fx
		return up*(1-fy) + down*fy
	}
	return mix(0), mix(1), true
}

// load makes the textures. It needs the context.
func (l *lens) load() {
	w, h := l.model.Size()
	l.raysID = newTexture(raysUnit, gl.TEXTURE_MIN_FILTER, gl.NEAREST, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, int32(w), int32(h), 0, gl.RGBA, gl.FLOAT, gl.Ptr(&l.rays[0]))
	l.seenID = newTexture(seenUnit, gl.TEXTURE_MIN_FILTER, gl.LINEAR, gl.TEXTURE_MAG_FILTER, gl.LINEAR,
		gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RG32F, seenSize, seenSize, 0, gl.RG, gl.FLOAT, gl.Ptr(&l.seen[0]))
	l.rays = nil
}

func (l *lens) bind() {
	gl.ActiveTexture(gl.TEXTURE0 + raysUnit)
	gl.BindTexture(gl.TEXTURE_2D, l.raysID)
	gl.ActiveTexture(gl.TEXTURE0 + seenUnit)
	gl.BindTexture(gl.TEXTURE_2D, l.seenID)
}

// lensCache holds the tables of all models so far.
type lensCache struct{ all []*lens }

// of returns the tables of a model.
func (lc *lensCache) of(m optics.Model) *lens {
	for _, l := range lc.all {
		if reflect.DeepEqual(l.model, m) {
			return l
		}
	}
	l := newLens(m)
	l.load()
	lc.all = append(lc.all, l)
	return l
}
