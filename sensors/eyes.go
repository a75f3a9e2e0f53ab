package sensors

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Eyes is a sensor that takes pictures.
type Eyes interface {
	Sensor
	Model() optics.Model
	PoseBC() spatial.Pose // of the optical frame on the robot, as the camera's head, if it has one, looks now
	// Aim, Turn and Gaze are the camera's head's, if it has one; see Head.
	Aim(pan, tilt float64) bool
	Turn(dt time.Duration)
	Gaze() (pan, tilt float64, ok bool)
	// Steer tells the head's controller what to do, Doing tells what that is, and Notice lets it see what was delivered. Steer reports
	// false for a camera without a head. They belong to the goroutine that steps.
	Steer(g Gaze) bool
	Doing() GazeMode
	Notice(obs *Observation)
	// Eye is the camera at an instant, for what sees without pictures.
	Eye(at *Instant) abstraction.Viewpoint
	// See fills obs at the levels above pictures, at features from labels, which it may do in any goroutine, one frame after the other. What is seen beside the
	// schedule leaves no trace in later frames. It may change eye and scene.
	See(eye *abstraction.Viewpoint, scene *abstraction.Environment, labels *abstraction.Labels, obs *Observation, beside bool)
	// View says what is to be drawn for a frame at a rendered level. The caller sets the buffers, of the model's size.
	View(level abstraction.Level, at *Instant) render.View
	// Streams tells which images the device delivers.
	Streams() (color, depth bool)
	// Takes returns the pictures that are to be drawn for a colour image, which Expose then makes of them; none when one
	// of the stamp, from the viewpoint, will do.
	Takes(level abstraction.Level) []Take
	// Expose fills the colour image of obs from the pictures of all Takes. It may run in any goroutine.
	Expose(obs *Observation, pictures []*render.Image)
	// Finish adds the level's faults to the drawn images of obs. It may run in any goroutine.
	Finish(obs *Observation)
}

// eyes is what all cameras share.
type eyes struct {
	device
	model  optics.Model
	looks  optics.Model // the same, Prepared
	sight  *abstraction.FieldOfView
	drawn  optics.Model // what pictures are drawn with: the model, or its approximation
	poseBC spatial.Pose // of the optical frame on the robot
	grain  *grain
	hidden []render.Hidden
	takes  []Take
	dirt   dirt
	vision *abstraction.Vision
	// housing is as the camera's robot hides things from where its head looks at the start: heads turn cameras more than they move
	// them.
	housing *abstraction.SelfOcclusion

	turning turning // of the head
	gazing  gazing
}

func newEyes(d device, model optics.Model, poseBC spatial.Pose, site Site) eyes {
	w, h := model.Size()
	e := eyes{
		device: d, model: model, looks: optics.Prepared(model), sight: abstraction.NewFieldOfView(model), drawn: model, poseBC: poseBC, grain: site.Common.grain(d.cfg.Imager), hidden: site.Hidden,
		takes: newTakes(d.cfg.Shutter, d.cfg.Focus), dirt: newDirt(d.cfg.Imager.Dust, d.cfg.Imager.Scratches, w, h, d.noise),
	}
	var ranging abstraction.RangeSigma
	if d.cfg.Ranging != nil {
		ranging = d.cfg.Ranging.sigma
	}
	e.vision = abstraction.NewVision(d.cfg.Vision, ranging, d.cfg.Rate)
	if head := d.cfg.Head; head != nil {
		e.turning = turning{head.Pan, head.Tilt, head.Pan, head.Tilt}
		e.place()
	}
	if site.Look != nil {
		e.housing = site.Common.housing(site, e.poseBC.Pos)
	}
	return e
}

// Model returns the camera model.
func (e *eyes) Model() optics.Model { return e.model }

// PoseBC returns the optical frame's pose on the robot.
func (e *eyes) PoseBC() spatial.Pose { return e.poseBC }

func (e *eyes) View(level abstraction.Level, at *Instant) render.View {
	v := render.View{Model: e.drawn, PoseWC: at.State().PoseWB.Mul(e.poseBC), Hidden: e.hidden}
	if level == abstraction.Raw {
		v.Vignetting = e.cfg.Imager.Vignetting
	}
	return v
}

func (e *eyes) Finish(obs *Observation) {
	if obs.Level != abstraction.Raw || obs.Color == nil {
		return
	}
	// In the order in which light meets them: the lens, the chip.
	chip, noise := e.cfg.Imager, e.noise.Frame(obs.Frame)
	e.dirt.apply(obs.Color)
	if chip.Chromatic != 0 {
		chromatic(obs.Color, chip.Chromatic)
	}
	if chip.Bayer {
		bayer(obs.Color, e.grain, noise)
	} else {
		e.grain.apply(obs.Color.Pix, noise)
	}
}

// Eye is the camera at an instant.
func (e *eyes) Eye(at *Instant) abstraction.Viewpoint {
	maxRange := math.Inf(1)
	if e.cfg.Ranging != nil {
		maxRange = e.cfg.Ranging.Max
	}
	return abstraction.Viewpoint{Model: e.looks, PoseWC: at.State().PoseWB.Mul(e.poseBC), MaxRange: maxRange, Sight: e.sight,
		Housing: e.housing}
}

// newHousing returns what a robot hides from an eye on it.
func newHousing(site Site, eyeB mgl64.Vec3) *abstraction.SelfOcclusion {
	var without []string
	for _, h := range site.Hidden {
		without = append(without, h.Part)
	}
	return abstraction.NewSelfOcclusion(pieces(site.Look, site.Body, without), eyeB)
}

// Observe is See, at an instant and without labels.
func (e *eyes) Observe(at *Instant, obs *Observation) {
	eye, scene := e.Eye(at), *at.Scene
	e.See(&eye, &scene, nil, obs, false)
}

func (e *eyes) See(eye *abstraction.Viewpoint, scene *abstraction.Environment, labels *abstraction.Labels, obs *Observation, beside bool) {
	vision, noise := e.vision, e.noise.Frame(obs.Frame)
	if beside {
		vision = vision.Clone()
	}
	scene.Light *= e.cfg.Imager.Exposure * e.cfg.Imager.Gain
	if obs.Level == abstraction.Features {
		obs.Features = &obs.parts.features
		vision.Segment(eye, scene, labels, noise, obs.Features)
		return
	}
	obs.Objects = &obs.parts.objects
	if obs.Level == abstraction.Truth {
		abstraction.TrueObjects(scene, e.cfg.Vision.Lines, obs.Objects)
		return
	}
	vision.See(eye, scene, obs.Stamp, noise, obs.Objects)
	if e.cfg.Kind == OmniCamera {
		// Localisation by lines is part of the omni vision that this level replaces.
		vision.LocateSelf(eye, scene, obs.Stamp, noise, obs.Objects)
	}
}
