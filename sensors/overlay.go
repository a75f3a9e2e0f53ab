package sensors

import (
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// OverlayParts say what of an Overlay is computed.
type OverlayParts uint8

const (
	// OverlayPoses are the poses alone, which every Overlay has.
	OverlayPoses OverlayParts = 1 << iota
	// OverlayObjects are Overlay.Objects.
	OverlayObjects
	// OverlayLines are Overlay.LinePoints.
	OverlayLines
	// OverlayBodies are Overlay.Bodies, and Overlay.Own.
	OverlayBodies
)

// Overlay is what is true of an observation's moment, and what a camera would report of that moment at levels without
// images: for who draws it over an image. Pixels are the image's. Nothing of it reaches robots.
type Overlay struct {
	PoseWB spatial.Pose // the robot, W
	PoseWC spatial.Pose // of a camera: its optical frame, W
	Model  optics.Model // of the camera
	// Objects is what its vision reports at level objects, from this frame alone if it filters velocities: in the
	// robot's frame.
	Objects abstraction.ObjectList
	// LinePoints is what it reports of lines at level features, pixels.
	LinePoints [][2]float64
	// Bodies are the ball, robots, obstacles and goal posts that the image shows or would show if nothing hid them,
	// however far.
	Bodies []OverlayBody
	Own    contour.Outline // of the camera's own robot
}

// OverlayBody is a body in an image.
type OverlayBody struct {
	Kind    abstraction.Kind
	Name    string
	Team    string
	Visible contour.Outline
	Hidden  contour.Outline // what others, or the camera's own robot, hide of it
}

// Draw sets the bodies that an image shows.
func (o *Overlay) Draw(image *contour.Image, targets []abstraction.Target, self int) {
	for i := range targets {
		t := &targets[i]
		if i == self {
			continue
		}
		b := OverlayBody{t.Kind, t.Name, t.Team, image.Visible(i), image.Hidden(i)}
		if len(b.Visible)+len(b.Hidden) > 0 {
			o.Bodies = append(o.Bodies, b)
		}
	}
}

// WithPosts returns what Seen has returned of a scene, and the goal posts, which are parts of its field there and no
// targets of vision in images.
func (t *Targets) WithPosts(seen *contour.Scene, scene *render.Scene, field *render.Body) *contour.Scene {
	all := *seen
	all.Solids = slices.Clone(seen.Solids)
	body := 0
	for i := range scene.Bodies {
		if &scene.Bodies[i] == field {
			body = i
		}
	}
	target := len(t.targets) - 2*len(t.world.Field.Goals())
	for _, goal := range t.world.Field.Goals() {
		frame := t.world.Field.GoalPosts(goal)
		for _, box := range frame[:2] { // the third is the bar
			var corners []mgl64.Vec3
			for i := range 8 {
				p := box.Min
				for k := range p {
					if i&(1<<k) != 0 {
						p[k] = box.Max[k]
					}
				}
				corners = append(corners, p)
			}
			all.Solids = append(all.Solids,
				contour.Solid{Form: contour.NewForm(contour.NewHulls([][]mgl64.Vec3{corners}), nil), Body: body,
					Target: target, Code: abstraction.GoalLabel})
			target++
		}
	}
	return &all
}
