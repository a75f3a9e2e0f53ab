package dataset

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// pointAt returns the point at the given distance along the ray of a pixel, in the optical frame.
func pointAt(r *optics.RayMap, pixel int, distance float32) mgl64.Vec3 {
	p := mgl64.Vec3(r.Dir[3*pixel : 3*pixel+3]).Mul(float64(distance))
	if r.Origin != nil {
		p = p.Add(mgl64.Vec3(r.Origin[3*pixel : 3*pixel+3]))
	}
	return p
}

// labels describe the visible things of an image.
type labels struct {
	width, height int
	truth         *render.Truth
	codes         []uint16 // 1 + index of each pixel's thing, or 0
	seen          []extent // of each thing
	alone         *render.Truth
}

// extent is the set of pixels of a thing.
type extent struct {
	pixels         int
	x0, y0, x1, y1 int  // the bounding box, inclusive
	maybeHidden    bool // a nearer surface borders on the pixels
}

func newLabels(c *Config, width, height, things int) *labels {
	n := width * height
	withRange := func() *render.Truth {
		return &render.Truth{Width: width, Height: height, Labels: make([]uint16, n), Range: make([]float32, n)}
	}
	l := &labels{width: width, height: height, truth: withRange(), alone: withRange(), codes: make([]uint16, n),
		seen: make([]extent, things)}
	if c.writes(Depth) {
		l.truth.Normals = make([]float32, 3*n)
	}
	if c.writes(Flow) {
		l.truth.Flow = make([]float32, 2*n)
	}
	return l
}

// partOf returns the thing at a pixel of a ground truth, or −1.
func (t *things) partOf(truth *render.Truth, pixel int, r *optics.RayMap, poseWC spatial.Pose) int {
	body := int(truth.Labels[pixel]) - int(render.LabelBody)
	switch {
	case body < 0:
		return -1
	case body == t.field:
		return t.goalAt(poseWC.Apply(pointAt(r, pixel, truth.Range[pixel])))
	}
	return t.of[body]
}

// find finds the things in the ground truth, except for the camera's own robot.
func (l *labels) find(t *things, r *optics.RayMap, poseWC spatial.Pose, self int) {
	for i := range l.seen {
		l.seen[i] = extent{x0: l.width, y0: l.height, x1: -1, y1: -1}
	}
	own := -1
	for k := range t.all {
		if t.all[k].robot >= 0 && t.all[k].robot == self {
			own = k
		}
	}
	for i, y := 0, 0; y < l.height; y++ {
		for x := 0; x < l.width; x, i = x+1, i+1 {
			l.codes[i] = 0
			if l.truth.Labels[i] < render.LabelBody { // most pixels
				continue
			}
			k := t.partOf(l.truth, i, r, poseWC)
			if k < 0 || k == own {
				continue
			}
			l.codes[i] = uint16(k + 1)
			s := &l.seen[k]
			s.pixels++
			s.x0, s.x1 = min(s.x0, x), max(s.x1, x)
			s.y0, s.y1 = min(s.y0, y), max(s.y1, y)
		}
	}
	l.border()
}

// gap is the largest number of pixels between the visible part of a thing and its occluder. There can be such pixels
// because thin parts, such as distant legs, miss some pixel centres.
const gap = 4

// border finds things that may be partly occluded: their pixels border on a nearer surface. Floor and hall occlude
// nothing that stands on the floor.
func (l *labels) border() {
	for i, y := 0, 0; y < l.height; y++ {
		for x := 0; x < l.width; x, i = x+1, i+1 {
			code := l.codes[i]
			if code == 0 || l.seen[code-1].maybeHidden || !l.atBorder(i, x, y) {
				continue
			}
			for v := max(y-gap, 0); v <= min(y+gap, l.height-1); v++ {
				for u := max(x-gap, 0); u <= min(x+gap, l.width-1); u++ {
					if by := v*l.width + u; l.codes[by] != code && l.truth.Labels[by] >= render.LabelBody &&
						l.truth.Range[by] < l.truth.Range[i] {
						l.seen[code-1].maybeHidden = true
					}
				}
			}
		}
	}
}

// atBorder reports whether one of a pixel's four neighbours shows another thing.
func (l *labels) atBorder(i, x, y int) bool {
	code := l.codes[i]
	return x > 0 && l.codes[i-1] != code || x < l.width-1 && l.codes[i+1] != code || y > 0 &&
		l.codes[i-l.width] != code || y < l.height-1 && l.codes[i+l.width] != code
}

// away is the pose of bodies that are to be left out of an image. It is so far away that they are smaller than a pixel.
var away = spatial.Translation(mgl64.Vec3{0, 0, 1e6})

// count returns the number of pixels that a thing would have without occlusion. view is the image's view, posesWB the
// poses of all bodies; memory is reused for the poses of the drawing.
func (l *labels) count(renderer render.Renderer, t *things, thing int, r *optics.RayMap, view render.View, posesWB,
	memory []spatial.Pose) (pixels int, err error) {
	for i := range memory {
		memory[i] = away
	}
	for _, b := range t.all[thing].bodies {
		memory[b] = posesWB[b]
	}
	view.Color, view.Depth, view.Before, view.Truth = nil, nil, nil, l.alone
	if err := renderer.Render(&render.Batch{PosesWB: memory, Views: []render.View{view}}); err != nil {
		return 0, err
	}
	for i, label := range l.alone.Labels {
		if label >= render.LabelBody && t.partOf(l.alone, i, r, view.PoseWC) == thing {
			pixels++
		}
	}
	return pixels, nil
}

// class returns the value of a pixel in the class image.
func (l *labels) class(pixel int, t *things, self int) uint8 {
	switch label := l.truth.Labels[pixel]; {
	case l.codes[pixel] > 0:
		return uint8(firstCategory + t.categories[t.all[l.codes[pixel]-1].category].ID)
	case label == render.LabelNothing:
		return classNothing
	case label == render.LabelHall:
		return classHall
	case label == render.LabelFloor:
		return classFloor
	case label == render.LabelMark:
		return classMarking
	default:
		if k := t.of[label-render.LabelBody]; k >= 0 && t.all[k].robot == self {
			return classSelf
		}
		return classOther
	}
}

// shows reports whether the pixel at (u, v) shows the thing, or shows nothing that is nearer than the distance, m.
func (l *labels) shows(thing int, u, v, distance float64) bool {
	i := int(math.Round(v))*l.width + int(math.Round(u))
	const slack = 0.02 // m
	return int(l.codes[i]) == thing+1 || float64(l.truth.Range[i]) >= distance-slack
}

// Object is an object in an image.
type Object struct {
	Instance int    `json:"instance"` // value of the object's pixels in the instance image, from 1
	Name     string `json:"name"`
	Category string `json:"category"`
	Team     string `json:"team,omitempty"`
	// Box is the bounding box of the object's pixels: column and row of its top-left pixel, width and height.
	Box     [4]int  `json:"box_px"`
	Pixels  int     `json:"pixels"`
	Visible float64 `json:"visible"`   // fraction of the pixels that would be visible without occlusion
	Cut     bool    `json:"cut"`       // the object touches the image's border
	Runs    runs    `json:"rle"`       // the object's pixels, as COCO's uncompressed run lengths
	Points  []Point `json:"keypoints"` // key points, in the order of the object's category
	// Pose is the object's pose in the optical frame. The pose's origin is the centre of a ball or, for any other
	// object, the point of the floor below the object; x points forward, z up.
	Pose     *output.Pose `json:"pose_c"`
	Velocity mgl64.Vec3   `json:"velocity_w_m_s"` // velocity of the pose's origin, in the world frame
}

// Point is a key point: u and v in pixels, and COCO's flag: 0 not in the image (u and v are 0), 1 occluded, 2 visible.
type Point [3]float64

// object describes a visible object of an image.
func (l *labels) object(t *things, k, instance int, now *physics.Snapshot, model optics.Model,
	poseCW spatial.Pose) Object {
	x, s := &t.all[k], &l.seen[k]
	o := Object{
		Instance: instance, Name: x.name, Category: t.categories[x.category].Name, Team: x.team, Pixels: s.pixels,
		Visible: 1,
		Box:     [4]int{s.x0, s.y0, s.x1 - s.x0 + 1, s.y1 - s.y0 + 1},
		Cut:     s.x0 == 0 || s.y0 == 0 || s.x1 == l.width-1 || s.y1 == l.height-1,
	}
	o.Runs = maskRuns(l.codes, l.width, l.height, uint16(k+1), o.Box)
	poseWT, vel := x.state(now)
	poseCT := poseCW.Mul(poseWT)
	o.Pose, o.Velocity = output.PoseOf(poseCT), vel
	for _, p := range x.points {
		o.Points = append(o.Points, l.point(k, poseCT.Apply(p), model))
	}
	return o
}

// point projects a point of an object from the optical frame into the image.
func (l *labels) point(thing int, posC mgl64.Vec3, model optics.Model) Point {
	u, v, ok := model.Project(posC)
	if !ok || math.IsNaN(u) || math.IsNaN(v) || !optics.Inside(model, u, v) {
		return Point{}
	}
	flag := 1.0
	if l.shows(thing, u, v, posC.Len()) {
		flag = 2
	}
	const fine = 1000 // fractions of a pixel
	return Point{math.Round(u*fine) / fine, math.Round(v*fine) / fine, flag}
}
