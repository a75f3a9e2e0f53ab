package sensors

import (
	"time"

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
	sight  *abstraction.Sight
	drawn  optics.Model // what pictures are drawn with: the model, or its approximation
	poseBC spatial.Pose // of the optical frame on the robot
	grain  *grain
	hidden []render.Hidden
	takes  []Take
	dirt   dirt

	turning turning // of the head
}

func newEyes(d device, model optics.Model, poseBC spatial.Pose, hidden []render.Hidden) eyes {
	w, h := model.Size()
	e := eyes{
		device: d, model: model, sight: abstraction.NewSight(model), drawn: model, poseBC: poseBC, grain: newGrain(d.cfg.Imager), hidden: hidden,
		takes: newTakes(d.cfg.Shutter, d.cfg.Focus), dirt: newDirt(d.cfg.Imager.Dust, d.cfg.Imager.Scratches, w, h, d.noise),
	}
	if head := d.cfg.Head; head != nil {
		e.turning = turning{head.Pan, head.Tilt, head.Pan, head.Tilt}
		e.place()
	}
	return e
}

// Model returns the camera model.
func (e *eyes) Model() optics.Model { return e.model }

// PoseBC returns the optical frame's pose on the robot.
func (e *eyes) PoseBC() spatial.Pose { return e.poseBC }

func (e *eyes) View(level abstraction.Level, at *Instant) render.View {
	v := render.View{Model: e.drawn, PoseWC: at.state().PoseWB.Mul(e.poseBC), Hidden: e.hidden}
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

// look fills obs at the levels above pictures.
func (e *eyes) look(at *Instant, obs *Observation, ranging abstraction.RangeSigma, maxRange float64) {
	obs.Objects = &abstraction.ObjectList{}
	if obs.Level == abstraction.Truth {
		abstraction.TrueObjects(at.Scene, obs.Objects)
		return
	}
	eye := abstraction.Eye{Model: e.model, PoseWC: at.state().PoseWB.Mul(e.poseBC), MaxRange: maxRange, Sight: e.sight}
	abstraction.SeenObjects(e.cfg.Vision, &eye, ranging, at.Scene, e.noise.Frame(obs.Frame), obs.Objects)
}
