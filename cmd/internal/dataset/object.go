package dataset

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

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
	Cut     bool    `json:"cut"`       // touches the image's border
	Runs    runs    `json:"rle"`       // of its pixels, as COCO's uncompressed run lengths
	Points  []Point `json:"keypoints"` // in the order of its category
	// Pose is the object's pose in the optical frame. Its origin is the centre of a ball, or the floor point below
	// others; x points forward, z up.
	Pose     *output.Pose `json:"pose_c"`
	Velocity mgl64.Vec3   `json:"velocity_w_m_s"` // of its origin, in the world frame
}

// Point is a key point: u and v in pixels, and COCO's flag: 0 not in the image (u and v are 0), 1 occluded, 2 visible.
type Point [3]float64

// object describes a visible object of an image.
func (l *labels) object(t *things, k, instance int, now *physics.Snapshot, model optics.Model,
	poseCW spatial.Pose) Object {
	x, s := &t.all[k], &l.seen[k]
	o := Object{
		Instance: instance, Name: x.name, Category: Categories[x.category].Name, Team: x.team, Pixels: s.pixels,
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
