package pipeline

import (
	"reflect"
	"sync"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
)

// contours computes in closed form which objects a camera's image shows, for level features. All tasks share its scenes
// and contour cameras. It creates them when a task first needs them.
type contours struct {
	once  sync.Once
	make  func() *contour.Scene
	scene *contour.Scene
	posts func() *contour.Scene // returns the scene with the goal posts added as targets, for overlays

	idle pool[contour.Image]

	mu      sync.Mutex
	cameras []modelCamera
}

// modelCamera is the contour camera that all cameras of one model share.
type modelCamera struct {
	model  optics.Model
	camera *contour.Camera
}

func (c *contours) init(cfg *Config) {
	targets, scene, field := cfg.Targets, cfg.Scene, cfg.Field
	c.make = func() *contour.Scene { return targets.Seen(scene, field) }
	c.posts = sync.OnceValue(func() *contour.Scene { return targets.WithPosts(c.scene, scene, field) })
}

func (c *contours) take() *contour.Image {
	c.once.Do(func() { c.scene = c.make() })
	if i := c.idle.get(); i != nil {
		return i
	}
	return new(contour.Image)
}

// camera returns the contour camera of a model.
func (c *contours) camera(m optics.Model) *contour.Camera {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, known := range c.cameras {
		if reflect.DeepEqual(known.model, m) {
			return known.camera
		}
	}
	made := contour.NewCamera(optics.Prepared(m))
	c.cameras = append(c.cameras, modelCamera{m, made})
	return made
}

// eye is a camera's contour camera, and the mask of the camera's own robot in the image.
type eye struct {
	camera  *contour.Camera
	own     *contour.Mask
	outline contour.Outline // outline of the mask own; nil until an overlay needs it
	poseBC  spatial.Pose    // the camera's pose in the robot's body frame for which own was computed
	// the robot's silhouette for which own was computed; it changes with the keeper's extension
	form *abstraction.Silhouette
}

// draw fills a contour image with the part of a scene that a task's view shows. It leaves out objects farther away than
// maxRange, in metres.
func (p *perceiver) draw(t *task, into *contour.Image, scene *contour.Scene, maxRange float64) error {
	e := &t.in.eye
	if e.camera == nil {
		e.camera = p.contours.camera(t.view.Model)
	}
	self := sensors.SelfTarget(t.in.robot)
	if form := t.env.Self.Outline; e.own == nil || e.poseBC != t.obs.PoseBC || e.form != form {
		l, err := p.labelers.take()
		if err != nil {
			return err
		}
		e.own, e.poseBC, e.form = p.labelers.own(t, l, self), t.obs.PoseBC, form
		e.outline = nil
		p.labelers.idle.put(l)
	}
	into.Draw(e.camera, t.view.PoseWC, maxRange, scene, t.instant.posesWB, self, e.own)
	return nil
}
