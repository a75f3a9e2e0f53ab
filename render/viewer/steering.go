package viewer

import (
	"image"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Keys besides letters.
const (
	Escape   rune = 0x1b
	Left     rune = '←'
	Right    rune = '→'
	Up       rune = '↑'
	Down     rune = '↓'
	Shift    rune = '⇧'
	PageUp   rune = '⇞'
	PageDown rune = '⇟'
	Home     rune = '⇱'
)

// Steering is the robot that the keys drive, and the motion that they demand.
type Steering struct {
	Robot               string  // "" for none
	Forward, Left, Turn float64 // −1 to 1; Turn is anticlockwise
	Fast                bool
	Dribble             bool
}

// Steering returns the motion that the pressed keys demand.
func (v *Viewer) Steering() Steering {
	if v.driven < 0 {
		return Steering{}
	}
	pressed := func(keys ...rune) float64 {
		for _, k := range keys {
			if v.held[k] {
				return 1
			}
		}
		return 0
	}
	return Steering{
		Robot: v.robots[v.driven], Fast: v.held[Shift], Dribble: v.dribble,
		Forward: pressed('W', Up) - pressed('S', Down), Left: pressed('A') - pressed('D'),
		Turn: pressed(Left) - pressed(Right),
	}
}

// drive handles a key that drives the robot. The key changes the robot that is driven, or the motion that the keys
// demand. A key that is held down causes further calls, with again set.
func (v *Viewer) drive(k rune, again bool) {
	if again {
		return
	}
	switch k {
	case 'T':
		if v.driven++; v.driven == len(v.robots) {
			v.driven = -1
		}
		v.dribble = false
	case 'E':
		v.dribble = !v.dribble && v.driven >= 0
	}
}

// Sight describes how a window shows the world: the camera, and the part of the window that its image fills. Positions
// in the window are pixels; (0, 0) is the centre of the upper left pixel.
type Sight struct {
	Model  optics.Model
	PoseWC spatial.Pose
	Frame  image.Rectangle // in the window
}

// NewSight returns the sight of a window that shows a camera's image in the way of Fit.
func NewSight(model optics.Model, poseWC spatial.Pose, width, height int) Sight {
	w, h := model.Size()
	return Sight{optics.Prepared(model), poseWC, fitted(width, height, w, h)}
}

// Project returns the position in the window of a point in W, metres. ok is false if the camera's optics cannot image
// the point. The position may be outside of Frame.
func (s *Sight) Project(posW mgl64.Vec3) (x, y float64, ok bool) {
	u, v, ok := s.Model.Project(s.PoseWC.Unrotate(posW.Sub(s.PoseWC.Pos)))
	kx, ky := s.scale()
	return (u+0.5)*kx + float64(s.Frame.Min.X) - 0.5, (v+0.5)*ky + float64(s.Frame.Min.Y) - 0.5, ok
}

// scale returns the width and height, in pixels of the window, of one pixel of the image.
func (s *Sight) scale() (kx, ky float64) {
	w, h := s.Model.Size()
	return float64(s.Frame.Dx()) / float64(w), float64(s.Frame.Dy()) / float64(h)
}

// fitted returns the largest centred rectangle of a window that has the aspect ratio of an image.
func fitted(width, height, imageWidth, imageHeight int) image.Rectangle {
	w, h := width, width*imageHeight/imageWidth
	if h > height {
		w, h = height*imageWidth/imageHeight, height
	}
	w, h = max(w, 1), max(h, 1)
	x, y := (width-w)/2, (height-h)/2
	return image.Rect(x, y, x+w, y+h)
}

// Fit draws one image into another: in its centre, as large as possible, on black.
func Fit(into, from *render.Image) {
	clear(into.Pix)
	canvas{into}.shrink(from, fitted(into.Width, into.Height, from.Width, from.Height))
}
