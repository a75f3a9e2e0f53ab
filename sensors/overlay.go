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

// Overlay is data that a viewer can show on top of an image. It contains the ground truth at the capture time, and the
// objects and line points that the camera would report at levels without images. Pixel coordinates are those of the
// image. Robots do not receive overlays.
type Overlay struct {
	PoseWB spatial.Pose // pose of the robot in W
	PoseWC spatial.Pose // pose of the camera's optical frame in W; set only for cameras
	Model  optics.Model // of the camera
	// Objects is what the camera would report at level objects, in the robot's frame. If its vision filters velocities,
	// these velocities do not use earlier overlays.
	Objects abstraction.ObjectList
	// LinePoints are the line points that the camera would report at level features, in pixels.
	LinePoints [][2]float64
	// Bodies are the ball, robots, obstacles and goal posts in the image, at any distance. They include occluded
	// bodies.
	Bodies []OverlayBody
	Own    contour.Outline // outline of the camera's own robot in the image
}

// OverlayBody is a body in an image.
type OverlayBody struct {
	Kind    abstraction.Kind
	Name    string
	Team    string
	Visible contour.Outline
	Hidden  contour.Outline // the occluded part: other bodies or the camera's own robot cover it
}

// Draw appends to Bodies the targets that an image shows, with their outlines. It leaves out the camera's own robot,
// whose index is the last argument.
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

// WithPosts returns a copy of the result of Seen with the goal posts added as targets. In a render scene the posts are
// parts of the field, so Seen does not contain them as targets.
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
		for _, box := range frame[:2] { // frame[2] is the bar
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
