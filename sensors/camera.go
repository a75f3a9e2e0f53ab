package sensors

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// Camera is a sensor that takes images. Kinds of camera differ in their configuration: a mirror, a lens, ranging.
type Camera struct {
	device
	model    optics.Model
	prepared optics.Model // the same, Prepared
	fov      *abstraction.FieldOfView
	drawn    optics.Model // model for rendering: the camera model or its approximation
	cubeFace int          // size of the faces of the cube map from which images are made, pixels; 0 without one
	poseBC   spatial.Pose // pose of the optical frame on the robot, without a head
	head     *Head        // nil without one
	hidden   []render.Hidden
	exposure imaging.Exposure
	samples  []imaging.Sample
	chip     *render.Chip
	// keepsAbove reports whether images keep light above white.
	keepsAbove bool
	// automatic controls exposure and white balance; nil if both are fixed. It meters light along rays in the optical
	// frame.
	automatic *imaging.Automatic
	metered   []mgl64.Vec3
	fixed     imaging.Settings // without automatic
	bodies    []body           // reused
	chips     *chip.Processor  // for images averaged from several
	measured  *render.Ranging  // of a camera that measures depth, with faults and limits
	limited   *render.Ranging  // of a camera that measures depth, with limits only
	vision    *abstraction.Vision
	blind     *abstraction.Vision // for a camera whose images are noise; created on first use
	// occlusion by the camera's own robot, from the camera's initial position: a head turns the camera more than it
	// moves it.
	occlusion *abstraction.SelfOcclusion
}

// newCamera returns the camera of a configuration. It looks along the x axis of its mount, or up into a mirror.
func newCamera(d device, site Site) (Sensor, error) {
	c := &Camera{
		device: d, poseBC: d.cfg.Mount.Pose().Mul(spatial.BodyToOptical()), hidden: site.Hidden,
		exposure: imaging.Exposure{Shutter: d.cfg.Shutter, Focus: d.cfg.Focus},
		chip:     d.cfg.Imager.Chip(d.cfg.Image.Width, d.cfg.Image.Height, d.cfg.Shutter, d.noise),
		chips:    &site.Cache.chips, keepsAbove: keepsAbove(d.cfg, site.Scene),
	}
	c.samples, c.fixed = c.exposure.Samples(), d.cfg.Imager.Settings()
	var err error
	switch c.model = d.cfg.Image.Pinhole(); {
	case d.cfg.Mirror != nil:
		c.poseBC = d.cfg.Mount.Pose().Mul(lookingUp())
		mirror, err := d.cfg.Catadioptric()
		if err != nil {
			return nil, fmt.Errorf("mirror: %w", err)
		}
		c.model, c.cubeFace = mirror, d.cfg.Mirror.CubeMapFace(mirror)
	case d.cfg.Lens != nil:
		if c.model, err = d.cfg.Lens.Camera(d.cfg.Image); err != nil {
			return nil, fmt.Errorf("lens: %w", err)
		}
	}
	c.prepared, c.fov, c.drawn = optics.Prepared(c.model), site.Cache.fieldOfView(c.model), c.model
	if m, ok := c.model.(*optics.Mirror); ok && d.cfg.Mirror.Method != imaging.MirrorRaycast {
		if c.drawn, err = optics.NewCentral(m, c.poseBC.Pos[2]); err != nil {
			return nil, fmt.Errorf("mirror: %w", err)
		}
	}
	if d.cfg.Ranging != nil {
		c.measured, c.limited = d.cfg.Ranging.Measured(), d.cfg.Ranging.Limited()
	}
	c.vision = abstraction.NewVision(d.cfg.Vision, c.ranging(), d.cfg.Rate)
	if d.cfg.AutoExposure != nil || d.cfg.AutoWhiteBalance != nil {
		c.automatic = imaging.NewAutomatic(d.cfg.Imager, d.cfg.AutoExposure, d.cfg.AutoWhiteBalance, d.cfg.Rate)
		c.metered = raysOf(c.prepared)
	}
	if d.cfg.Head != nil {
		c.head = newHead(d.cfg, c.prepared)
	}
	if site.Scene != nil {
		c.occlusion = site.Cache.selfOcclusion(site, c.PoseBC().Pos)
	}
	return c, nil
}

// lookingUp returns the pose of the optical frame of a camera that looks along z of its mount to the mirror's
// viewpoint. Its x axis, the front, points to the upper edge of the image. So the left (y) is on the image's right:
// from below, as in a mirror, the world is reversed.
func lookingUp() spatial.Pose { return spatial.Pose{Rot: spatial.RotZ(math.Pi / 2)} }

// Model returns the camera model.
func (c *Camera) Model() optics.Model { return c.model }

// PoseBC returns the present pose of the optical frame on the robot, including the head.
func (c *Camera) PoseBC() spatial.Pose {
	if c.head != nil {
		return c.head.poseBC
	}
	return c.poseBC
}

// Head returns the head that turns the camera, nil for a fixed camera.
func (c *Camera) Head() *Head { return c.head }

// MeasuresDepth reports whether the camera also delivers depth images.
func (c *Camera) MeasuresDepth() bool { return c.measured != nil }

// LocationCovariance returns the covariance of the position at which the camera's vision locates an object of a kind,
// in the robot's frame, m². poseBC is the optical frame of the observation. Any goroutine may call it.
func (c *Camera) LocationCovariance(kind abstraction.Kind, poseBC spatial.Pose, posB mgl64.Vec3) mgl64.Mat3 {
	return c.cfg.Vision.LocationCovariance(kind, c.prepared, poseBC, c.ranging(), posB)
}

// ranging returns the errors of a camera that measures depth, else nil.
func (c *Camera) ranging() abstraction.RangeSigma {
	if c.cfg.Ranging == nil {
		return nil
	}
	return c.cfg.Ranging.Sigma
}

// View returns what to render for a frame at a rendered level. The caller sets the buffers, of the model's size.
func (c *Camera) View(level abstraction.Level, at *Instant) render.View {
	v := render.View{Model: c.drawn, PoseWC: at.State().PoseWB.Mul(c.PoseBC()), Hidden: c.hidden, CubeFace: c.cubeFace,
		Ranging: c.limited}
	if level == abstraction.Raw {
		v.Vignetting, v.Ranging = c.cfg.Imager.Vignetting, c.measured
	}
	return v
}

// Settings returns the camera's settings for the present frame, to which Control has advanced.
func (c *Camera) Settings() imaging.Settings {
	if c.automatic == nil {
		return c.fixed
	}
	return c.automatic.Settings()
}

// Chip returns the faults of lens and chip for the colour image of a frame in a scene's light, and the noise key of its
// images. They are Chip and NoiseKey of the View, except that the View of an image averaged from several
// (ExposureSamples) has no Chip. It returns nil at levels without faults. The result is valid as long as obs.
func (c *Camera) Chip(obs *Observation, scene *render.Scene, light *render.Light) (*render.Chip, uint64) {
	if obs.Level != abstraction.Raw {
		return nil, 0
	}
	chip := c.chip
	if c.automatic != nil || light.Flicker.On() {
		obs.chip = *chip
		chip = &obs.chip
	}
	if c.automatic != nil {
		obs.Settings.Set(chip)
	}
	if light.Flicker.On() {
		chip.Rows = render.Rows{Flicker: light.Flicker, Lamps: light.LampShare(scene.Floor.SizeX, scene.Floor.SizeY),
			Stamp: obs.Stamp}
		if s := c.cfg.Shutter; s != nil {
			chip.Rows.Exposure, chip.Rows.Readout = s.Exposure, s.Readout
		}
	}
	return chip, imaging.NoiseKey(c.noise.Frame(obs.Frame))
}

// NewImage returns an image with the size of the camera's colour images.
func (c *Camera) NewImage() *render.Image {
	im := render.NewImage(c.model.Size())
	if c.keepsAbove {
		im.KeepAbove()
	}
	return im
}

// keepsAbove reports whether light above white matters in a camera's images of a scene. It does where it is scattered
// or spills, and where lamps and windows are visible, if images may be exposed less than others or in less light.
func keepsAbove(cfg *Config, scene *render.Scene) bool {
	i := cfg.Imager
	if i.Glare != 0 || i.Blooming != 0 || i.Smear != 0 {
		return true
	}
	dim := i.Exposure < 1
	if a := cfg.AutoExposure; a != nil {
		dim = a.MinExposure < 1
	}
	return scene != nil && scene.Natural && (dim || scene.Light.Flicker.On())
}

// ExposureSamples lists the images that Expose averages. It is empty if the image at the stamp suffices.
func (c *Camera) ExposureSamples(level abstraction.Level) []imaging.Sample {
	if level != abstraction.Raw {
		return nil
	}
	return c.samples
}

// Expose averages the images of all ExposureSamples into the colour image of obs. The images were rendered without a
// chip; faults and noiseKey are those returned by Chip for obs. It may run in any goroutine.
func (c *Camera) Expose(obs *Observation, pictures []*render.Image, faults *render.Chip, noiseKey uint64) {
	c.exposure.Combine(obs.Color, pictures)
	c.chips.Apply(obs.Color, faults, noiseKey)
}

// Viewpoint returns the camera at an instant, for levels without images.
func (c *Camera) Viewpoint(at *Instant) abstraction.Viewpoint {
	maxRange := math.Inf(1)
	if c.cfg.Ranging != nil {
		maxRange = c.cfg.Ranging.Max
	}
	return abstraction.Viewpoint{Model: c.prepared, PoseWC: at.State().PoseWB.Mul(c.PoseBC()), MaxRange: maxRange,
		FieldOfView:   c.fov,
		SelfOcclusion: c.occlusion}
}

// Observe is Perceive at an instant, without a picture.
func (c *Camera) Observe(at *Instant, obs *Observation) {
	view, env := c.Viewpoint(at), *at.Environment
	obs.Settings = c.Settings()
	c.Perceive(&view, &env, nil, obs, false)
}

// Remembers reports whether the camera's output at a level depends on earlier frames.
func (c *Camera) Remembers(level abstraction.Level) bool {
	return level == abstraction.Objects && c.vision.Remembers()
}

// Exchange passes the state of the head, of the vision, and of the control of exposure and white balance to a codec.
func (c *Camera) Exchange(k *keyframe.Codec) {
	if c.head != nil {
		c.head.Exchange(k)
	}
	c.vision.Exchange(k)
	if c.automatic != nil {
		c.automatic.Exchange(k)
	}
	broken := c.blind != nil
	if k.Bool(&broken); !broken {
		c.blind = nil
		return
	}
	c.blinded().Exchange(k)
}

// Perceive fills obs at the levels without images; at features it uses picture. It may run in any goroutine, one frame
// after the other. A perception off schedule does not change the filters of the vision. It may change view and env.
func (c *Camera) Perceive(view *abstraction.Viewpoint, env *abstraction.Environment, picture abstraction.Picture,
	obs *Observation, beside bool) {
	vision, done := c.perceiveBroken(obs)
	if done {
		return
	}
	noise := c.noise.Frame(obs.Frame)
	if beside {
		vision = vision.Clone()
	}
	env.Exposure = obs.Settings.Amplification()
	if obs.Level == abstraction.Features {
		obs.Features = &obs.features
		vision.Segment(view, env, picture, noise, obs.Features)
		return
	}
	obs.Objects = &obs.objects
	if obs.Level == abstraction.Truth && obs.Fault != Noisy {
		abstraction.TrueObjects(env, c.cfg.Vision.Lines, obs.Objects)
		return
	}
	vision.Perceive(view, env, obs.Stamp, noise, obs.Objects)
	if c.cfg.Mirror != nil {
		// Localisation by lines is part of the omni vision that this level replaces.
		vision.Localise(view, env, obs.Stamp, noise, obs.Objects)
	}
}
