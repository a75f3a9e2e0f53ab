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

// Camera is a sensor that takes images. Kinds of camera differ in what their configuration has: a mirror, a lens,
// ranging.
type Camera struct {
	device
	model    optics.Model
	prepared optics.Model // the same, Prepared
	fov      *abstraction.FieldOfView
	drawn    optics.Model // what images are drawn with: the model, or its approximation
	cubeFace int          // side of the faces of the cube map that images are made of, pixels; 0 without one
	poseBC   spatial.Pose // of the optical frame on the robot, without a head
	head     *Head        // nil without one
	hidden   []render.Hidden
	exposure imaging.Exposure
	samples  []imaging.Sample
	chip     *render.Chip
	// keepsAbove tells whether images keep their light above white.
	keepsAbove bool
	// automatic controls exposure and white balance; nil: both are fixed. What it meters it meters along rays, in the
	// optical frame.
	automatic *imaging.Automatic
	metered   []mgl64.Vec3
	fixed     imaging.Settings // without automatic
	bodies    []body           // memory
	chips     *chip.Processor  // for images made of several
	measured  *render.Ranging  // of a camera that measures depth, as limited
	limited   *render.Ranging  // without faults
	vision    *abstraction.Vision
	blind     *abstraction.Vision // of a camera whose images are noise; nil before
	// occlusion is by the camera's own robot, from where its head puts it at the start: heads turn cameras more than
	// they move them.
	occlusion *abstraction.SelfOcclusion
}

// newCamera returns the camera of a configuration: one that looks along the x axis of its mount, or upwards into a
// mirror.
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

// lookingUp returns the pose of the optical frame of a camera that looks along z of the frame it is mounted in, to the
// mirror's viewpoint, with x, the front, towards the image's upper edge. So the left (y) is on the image's right: seen
// from below, as in a mirror, the world is reversed.
func lookingUp() spatial.Pose { return spatial.Pose{Rot: spatial.RotZ(math.Pi / 2)} }

// Model returns the camera model.
func (c *Camera) Model() optics.Model { return c.model }

// PoseBC returns the optical frame's pose on the robot, of a camera with a head as the head is turned now.
func (c *Camera) PoseBC() spatial.Pose {
	if c.head != nil {
		return c.head.poseBC
	}
	return c.poseBC
}

// Head returns what turns the camera on its mount, nil for a camera that is fixed.
func (c *Camera) Head() *Head { return c.head }

// MeasuresDepth tells whether the camera delivers depth images beside those in colour.
func (c *Camera) MeasuresDepth() bool { return c.measured != nil }

// LocationCovariance returns the covariance of the place where the camera's vision locates a thing of a kind, in the
// robot's frame, m²; poseBC is the optical frame that it was seen from. It may be called from any goroutine.
func (c *Camera) LocationCovariance(kind abstraction.Kind, poseBC spatial.Pose, posB mgl64.Vec3) mgl64.Mat3 {
	return c.cfg.Vision.LocationCovariance(kind, c.prepared, poseBC, c.ranging(), posB)
}

// ranging returns the errors of a camera that measures depth, nil of others.
func (c *Camera) ranging() abstraction.RangeSigma {
	if c.cfg.Ranging == nil {
		return nil
	}
	return c.cfg.Ranging.Sigma
}

// View says what is to be drawn for a frame at a rendered level. The caller sets the buffers, of the model's size.
func (c *Camera) View(level abstraction.Level, at *Instant) render.View {
	v := render.View{Model: c.drawn, PoseWC: at.State().PoseWB.Mul(c.PoseBC()), Hidden: c.hidden, CubeFace: c.cubeFace,
		Ranging: c.limited}
	if level == abstraction.Raw {
		v.Vignetting, v.Ranging = c.cfg.Imager.Vignetting, c.measured
	}
	return v
}

// Settings returns what the camera has set for the frame that Control has gone on to.
func (c *Camera) Settings() imaging.Settings {
	if c.automatic == nil {
		return c.fixed
	}
	return c.automatic.Settings()
}

// Chip returns what gives the colour image of a frame, in a scene's light, the faults of its lens and chip, and the key
// of the noise of its images: the Chip and NoiseKey of the View, but no Chip if the image is made of several
// (ExposureSamples). nil at levels without faults. It is valid as long as obs.
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

// NewImage returns an image for the camera's colours.
func (c *Camera) NewImage() *render.Image {
	im := render.NewImage(c.model.Size())
	if c.keepsAbove {
		im.KeepAbove()
	}
	return im
}

// keepsAbove tells whether light above white counts in what a camera delivers of a scene: where it is scattered or
// spills, and where lamps and windows are seen, if images may be exposed less than others or in less light.
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

// ExposureSamples lists the images that Expose averages into one; none when the image of the stamp alone will do.
func (c *Camera) ExposureSamples(level abstraction.Level) []imaging.Sample {
	if level != abstraction.Raw {
		return nil
	}
	return c.samples
}

// Expose makes the colour image of obs from those of all ExposureSamples, which were drawn without a chip, with what
// Chip has returned for obs. It may run in any goroutine.
func (c *Camera) Expose(obs *Observation, pictures []*render.Image, faults *render.Chip, noiseKey uint64) {
	c.exposure.Combine(obs.Color, pictures)
	c.chips.Apply(obs.Color, faults, noiseKey)
}

// Viewpoint is the camera at an instant, for levels without images.
func (c *Camera) Viewpoint(at *Instant) abstraction.Viewpoint {
	maxRange := math.Inf(1)
	if c.cfg.Ranging != nil {
		maxRange = c.cfg.Ranging.Max
	}
	return abstraction.Viewpoint{Model: c.prepared, PoseWC: at.State().PoseWB.Mul(c.PoseBC()), MaxRange: maxRange,
		FieldOfView:   c.fov,
		SelfOcclusion: c.occlusion}
}

// Observe is Perceive, at an instant and without a picture.
func (c *Camera) Observe(at *Instant, obs *Observation) {
	view, env := c.Viewpoint(at), *at.Environment
	obs.Settings = c.Settings()
	c.Perceive(&view, &env, nil, obs, false)
}

// Remembers tells whether what the camera delivers at a level depends on the frames before.
func (c *Camera) Remembers(level abstraction.Level) bool {
	return level == abstraction.Objects && c.vision.Remembers()
}

// Exchange passes what the head, the vision and the control of exposure and white balance remember to a codec.
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

// Perceive fills obs at the levels without images, at features from what the image shows, in any goroutine, one frame
// after the other. What is perceived off schedule does not change the filters of the vision. It may change view and
// env.
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
