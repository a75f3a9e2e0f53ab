package raster

import (
	"math"
	"sync"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// SeenSize is the number of texels along each side of a Lens's table of directions. With 512, the error is below 0.01
// pixels for an image of 640 pixels.
const SeenSize = 512

// Lens represents a camera model without a formula by two tables: the direction of each pixel, and the pixel of each
// direction. The second table is indexed by the stereographic coordinates s = (x, y)/(1 ± z) of directions.
type Lens struct {
	// Rays holds four numbers for each pixel: x, y and z of its direction in the optical frame, and 1. If the optics do
	// not image the pixel, all four are 0. Rays may be set to nil to free memory.
	Rays []float32
	// Seen holds the pixel (u, v) of each direction, with (0, 0) at the centre of the first pixel. It has SeenSize ×
	// SeenSize entries. Its first and last columns and rows are at −r and r in stereographic coordinates, where r is
	// the radius at which the table ends (Projection.Mirror).
	Seen []float32

	Model     optics.Model
	axis      float64 // direction along z in which the image's centre looks: 1 or −1
	turned    bool    // the image is mirrored
	reach     float64 // largest angle of a pixel's direction from the axis, rad
	edge      float64 // stereographic radius at which the table of directions ends
	focal     float64 // pixels per radian at the image's centre
	sharpness float64 // largest number of pixels per radian
	centre    [2]float64
	real      [4]float64 // 1/fx, 1/fy and the centre in pixels of the real camera, which may look into a mirror
	corners   []mgl64.Vec3
	tiles     []tileView
}

// NewLens computes the tables of a model.
func NewLens(m optics.Model) *Lens {
	l := &Lens{Model: m, axis: 1}
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

// computeRays fills the table of rays, and computes the data for tiles.
func (l *Lens) computeRays(w, h int) {
	l.Rays = make([]float32, 4*w*h)
	cols, rows := tilesOf(w), tilesOf(h)
	views := make([]int, cols*rows)
	for v := range h {
		for u := range w {
			d, ok := l.Model.Unproject(float64(u), float64(v))
			if !ok {
				continue
			}
			ray := l.Rays[4*(v*w+u):]
			ray[0], ray[1], ray[2], ray[3] = float32(d[0]), float32(d[1]), float32(d[2]), 1
			l.reach = math.Max(l.reach, math.Acos(mgl64.Clamp(l.axis*d[2], -1, 1)))
			views[v/TileSize*cols+u/TileSize]++
		}
	}
	l.corners = make([]mgl64.Vec3, (cols+1)*(rows+1))
	sharp := make([]bool, len(l.corners))
	for i := range l.corners {
		u, v := float64(i%(cols+1)*TileSize), float64(i/(cols+1)*TileSize)
		l.corners[i], sharp[i] = l.Model.Unproject(u-0.5, v-0.5)
		if !sharp[i] {
			l.corners[i] = mgl64.Vec3{0, 0, l.axis} // any value will do, because the tile gets the most general class
		}
	}
	l.tiles = make([]tileView, cols*rows)
	for i, n := range views {
		col, row := i%cols, i/cols
		at := row*(cols+1) + col
		switch {
		case n == 0:
			l.tiles[i] = blindTile
		case n == (min((col+1)*TileSize, w)-col*TileSize)*(min((row+1)*TileSize, h)-row*TileSize) &&
			sharp[at] && sharp[at+1] && sharp[at+cols+1] && sharp[at+cols+2]:
			l.tiles[i] = wholeTile
		default:
			l.tiles[i] = edgeTile
		}
	}
}

// direction returns the direction with the stereographic coordinates (x, y).
func (l *Lens) direction(x, y float64) mgl64.Vec3 {
	k := 2 / (1 + x*x + y*y)
	return mgl64.Vec3{k * x, k * y, l.axis * (k - 1)}
}

// computePixels fills the table of directions. Beyond the part that the optics image, it extrapolates linearly, so that
// triangles are correct up to the edge.
func (l *Lens) computePixels() {
	l.Seen = make([]float32, 2*SeenSize*SeenSize)
	var rows sync.WaitGroup
	for row := range SeenSize {
		rows.Go(func() {
			for col := range SeenSize {
				x, y := l.edge*(2*float64(col)/(SeenSize-1)-1), l.edge*(2*float64(row)/(SeenSize-1)-1)
				u, v := l.extended(x, y)
				l.Seen[2*(row*SeenSize+col)], l.Seen[2*(row*SeenSize+col)+1] = float32(u), float32(v)
			}
		})
	}
	rows.Wait()
}

func (l *Lens) extended(x, y float64) (u, v float64) {
	u, v, ok := l.Model.Project(l.direction(x, y))
	if ok {
		return u, v
	}
	lo, hi := 0.0, 1.0 // fractions of the distance from the axis
	for range 16 {     // enough for a precision of a hundredth of a texel
		mid := (lo + hi) / 2
		if _, _, ok := l.Model.Project(l.direction(mid*x, mid*y)); ok {
			lo = mid
		} else {
			hi = mid
		}
	}
	u, v, _ = l.Model.Project(l.direction(lo*x, lo*y))
	const back = 0.99
	bu, bv, ok := l.Model.Project(l.direction(back*lo*x, back*lo*y))
	if !ok || lo == 0 {
		return l.centre[0], l.centre[1]
	}
	k := (1 - lo) / (lo * (1 - back))
	return u + k*(u-bu), v + k*(v-bv)
}

// measureDistortion computes the number of pixels per radian, and whether the image is mirrored, from the table of
// directions.
func (l *Lens) measureDistortion() {
	step := 2 * l.edge / (SeenSize - 1)
	at := func(col, row int) (u, v float64) {
		i := 2 * (row*SeenSize + col)
		return float64(l.Seen[i]), float64(l.Seen[i+1])
	}
	inner := math.Tan(l.reach / 2)
	for row := range SeenSize - 1 {
		for col := range SeenSize - 1 {
			x, y := l.edge*(2*float64(col)/(SeenSize-1)-1), l.edge*(2*float64(row)/(SeenSize-1)-1)
			if r2 := x*x + y*y; r2 < inner*inner {
				u, v := at(col, row)
				ur, vr := at(col+1, row)
				ud, vd := at(col, row+1)
				angle := step * 2 / (1 + r2) // subtended by a step
				l.sharpness = math.Max(l.sharpness, math.Max(math.Hypot(ur-u, vr-v), math.Hypot(ud-u, vd-v))/angle)
				if col == SeenSize/2 && row == SeenSize/2 {
					det := (ur-u)*(vd-v) - (vr-v)*(ud-u)
					l.turned = det*l.axis < 0
					l.focal = math.Sqrt(math.Abs(det)) / angle
				}
			}
		}
	}
}

// image returns the pixel of a unit vector in the optical frame, with (0, 0) at the centre of the first pixel. ok is
// false if the direction is outside of the table.
func (l *Lens) image(dirC mgl64.Vec3) (u, v float64, ok bool) {
	w := 1 + l.axis*dirC[2]
	if w < 1e-6 {
		return 0, 0, false
	}
	x := (dirC[0]/w/l.edge + 1) / 2 * (SeenSize - 1)
	y := (dirC[1]/w/l.edge + 1) / 2 * (SeenSize - 1)
	if !(x >= 0 && y >= 0 && x < SeenSize-1 && y < SeenSize-1) {
		return 0, 0, false
	}
	i := 2 * (int(y)*SeenSize + int(x))
	_, fx := math.Modf(x)
	_, fy := math.Modf(y)
	mix := func(k int) float64 {
		t := l.Seen[i+k:]
		up := float64(t[0])*(1-fx) + float64(t[2])*fx
		down := float64(t[2*SeenSize])*(1-fx) + float64(t[2*SeenSize+2])*fx
		return up*(1-fy) + down*fy
	}
	return mix(0), mix(1), true
}
