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

// OverlayParts selects the parts of an Overlay to compute.
type OverlayParts uint8

const (
	// OverlayPoses selects only the poses, which every Overlay has.
	OverlayPoses OverlayParts = 1 << iota
	// OverlayObjects selects Overlay.Objects.
	OverlayObjects
	// OverlayLines selects Overlay.LinePoints.
	OverlayLines
	// OverlayBodies selects Overlay.Bodies and Overlay.Own.
	OverlayBodies
)

// Overlay is data for drawing over an image: the ground truth at an observation's stamp, and the objects and line
// points that a camera would report at levels without images. Pixels are those of the image. Robots do not receive it.
type Overlay struct {
	PoseWB spatial.Pose // the robot, W
	PoseWC spatial.Pose // of a camera: its optical frame, W
	Model  optics.Model // of the camera
	// Objects is the camera's report at level objects, in the robot's frame. If its vision filters velocities, it uses
	// this frame alone.
	Objects abstraction.ObjectList
	// LinePoints are the line points at level features, pixels.
	LinePoints [][2]float64
	// Bodies are the ball, robots, obstacles and goal posts in the image, including occluded ones, at any distance.
	Bodies []OverlayBody
	Own    contour.Outline // of the camera's own robot
}

// OverlayBody is a body in an image.
type OverlayBody struct {
	Kind    abstraction.Kind
	Name    string
	Team    string
	Visible contour.Outline
	Hidden  contour.Outline // part occluded by others or by the camera's own robot
}

// Draw sets the bodies in an image.
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

// WithPosts adds the goal posts to the result of Seen. In a render scene posts are parts of the field, and not targets
// of vision in images.
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
