package raster

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/refine"
)

// grid holds the properties of an image's tiles that depend only on the camera's model. It is immutable.
type grid struct {
	cols, rows int
	views      []tileView // rows × cols
	// rays through the tiles' corners in the optical frame, (rows + 1) × (cols + 1), of any length
	rays []mgl64.Vec3
	used []bool // for each corner, whether it belongs to a tile that shows something
}

// tileView describes how much of a tile the optics image.
type tileView uint8

const (
	blindTile tileView = iota
	edgeTile           // the optics image only a part of the tile
	rimTile            // the optics image the whole tile, and a mirror's edge crosses it
	wholeTile
)

// tilesOf returns the number of tiles that cover a side of the given length in pixels.
func tilesOf(pixels int) int { return (pixels + TileSize - 1) / TileSize }

func newGrid(c *Camera) *grid {
	g := &grid{cols: tilesOf(c.Width), rows: tilesOf(c.Height)}
	g.views = make([]tileView, g.cols*g.rows)
	g.rays = make([]mgl64.Vec3, (g.cols+1)*(g.rows+1))
	g.used = make([]bool, len(g.rays))
	if c.Lens != nil {
		copy(g.views, c.Lens.tiles)
		copy(g.rays, c.Lens.corners)
	} else {
		for i := range g.rays {
			g.rays[i] = c.ray(float64(i%(g.cols+1)*TileSize), float64(i/(g.cols+1)*TileSize))
		}
		for i := range g.views {
			g.views[i] = c.tileView(i%g.cols, i/g.cols)
		}
	}
	for i, v := range g.views {
		if v != blindTile {
			at := i/g.cols*(g.cols+1) + i%g.cols
			g.used[at], g.used[at+1], g.used[at+g.cols+1], g.used[at+g.cols+2] = true, true, true, true
		}
	}
	return g
}

// tileView returns how much of a tile is imaged. The camera must have a formula.
func (c *Camera) tileView(col, row int) tileView {
	if !c.Mirrored {
		return wholeTile
	}
	// The tile's centre (x, y), and the distance of its corners from its centre, in the unified model's image plane.
	x, y := (float64(col*TileSize+TileSize/2)-0.5-c.CX)/c.FX, (float64(row*TileSize+TileSize/2)-0.5-c.CY)/c.FY
	r, reach := math.Hypot(x, y), math.Hypot(TileSize/2/c.FX, TileSize/2/c.FY)
	soft := 2 / math.Min(c.FX, c.FY)
	switch {
	case r-reach > c.edge*(1+render.RimShare)+soft:
		return blindTile
	case r+reach > c.edge-soft:
		return rimTile
	}
	return wholeTile
}

// intrinsics identifies camera models.
type intrinsics struct {
	lens           *Lens
	width, height  int
	mirrored       bool
	fx, fy, cx, cy float64
	xi, edge       float64
}

// grids caches the grids of models.
type grids map[intrinsics]*grid

// get returns the grid of a camera's model.
func (gs *grids) get(c *Camera) *grid {
	model := intrinsics{c.Lens, c.Width, c.Height, c.Mirrored, c.FX, c.FY, c.CX, c.CY, c.Xi, c.edge}
	if g, ok := (*gs)[model]; ok {
		return g
	}
	const most = 128 // about 50 kB each
	if *gs == nil || len(*gs) == most {
		*gs = grids{}
	}
	g := newGrid(c)
	(*gs)[model] = g
	return g
}

// Visible lists the parts of one body that a view shows.
type Visible struct {
	PoseCB   spatial.Pose // pose of the body in the optical frame
	Parts    []Shown
	distance float64 // of the bounding sphere
}

// Shown is a visible part, and the level at which it is drawn. Part is an index in the Body's Parts, and Level is an
// index in the part's Levels.
type Shown struct{ Part, Level int32 }

// Visibility holds the visible bodies of a view.
type Visibility struct {
	Bodies []Visible // in the order of the Scene; elements whose indices are not in Order are outdated
	Order  []int     // indices in Bodies, nearest body first
}

// Collect finds the visible parts of all bodies. The poses of the bodies are in W, in the same order.
func (s *Visibility) Collect(bodies []Body, posesWB []spatial.Pose, c *Camera, hidden []render.Hidden) {
	if len(s.Bodies) != len(bodies) {
		s.Bodies = make([]Visible, len(bodies))
		s.Order = make([]int, 0, len(bodies))
	}
	s.Order = s.Order[:0]
	for i := range bodies {
		b := &bodies[i]
		if posesWB[i].Absent() {
			continue
		}
		poseCB := c.PoseCW.Mul(posesWB[i])
		centreC := poseCB.Apply(b.Centre)
		if len(b.Parts) == 0 || !c.mayShow(&centreC, b.Radius) {
			continue
		}
		item := &s.Bodies[i]
		item.distance, item.PoseCB = centreC.Len()-b.Radius, poseCB
		item.Parts = item.Parts[:0]
		eyeB, rotCB := poseCB.Inverse().Pos, poseCB.Rot.Mat4().Mat3()
		for k := range b.Parts {
			p := &b.Parts[k]
			centreC := placed(&poseCB.Pos, &rotCB, &p.Centre)
			if c.mayShow(&centreC, p.Radius) && !isHidden(hidden, i, p.Name) {
				item.Parts = append(item.Parts, Shown{int32(k), int32(p.level(c, &eyeB, &centreC))})
			}
		}
		if len(item.Parts) == 0 {
			continue
		}
		s.Order = append(s.Order, i)
		for k := len(s.Order) - 1; k > 0 && s.Bodies[s.Order[k]].distance < s.Bodies[s.Order[k-1]].distance; k-- {
			s.Order[k], s.Order[k-1] = s.Order[k-1], s.Order[k]
		}
	}
}

// nearby is the distance, metres, within which the error of curves may be four times as large. Such parts belong to the
// robot under its own mirror. No vision measures them, and they make up most triangles in a mirror camera's images.
const nearby = 0.6

// level returns the coarsest level of a part that is fine enough for a camera. eyeB is the viewpoint in the body's
// frame, and centreC is the centre of the part's bounding sphere in the optical frame. An edge that subtends an angle
// deviates from its curve by bend·angle²/8 pixels.
func (p *Part) level(c *Camera, eyeB, centreC *mgl64.Vec3) (level int) {
	if !c.Curved() || len(p.Levels) == 1 {
		return 0
	}
	distance2, off := p.Box.SquareDistance(eyeB), refine.Flat
	if c.Mirrored && distance2 < nearby*nearby {
		off *= 4
	}
	longest2 := distance2 * 8 * off / max(c.bend(centreC, p.Radius), 1)
	for level+1 < len(p.Levels) && p.Levels[level].Edge*p.Levels[level].Edge > longest2 {
		level++
	}
	return level
}

// placed transforms a point by a rotation and a translation.
func placed(pos *mgl64.Vec3, rot *mgl64.Mat3, p *mgl64.Vec3) mgl64.Vec3 {
	return mgl64.Vec3{
		rot[0]*p[0] + rot[3]*p[1] + rot[6]*p[2] + pos[0],
		rot[1]*p[0] + rot[4]*p[1] + rot[7]*p[2] + pos[1],
		rot[2]*p[0] + rot[5]*p[1] + rot[8]*p[2] + pos[2],
	}
}

func isHidden(hidden []render.Hidden, body int, part string) bool {
	for _, h := range hidden {
		if h.Body == body && h.Part == part {
			return true
		}
	}
	return false
}
