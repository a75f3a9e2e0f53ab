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

// Camera is a sensor that takes images. Kinds of cameras differ only in their configuration, which may contain a
// mirror, a lens or the measurement of depth.
type Camera struct {
	device
	model    optics.Model
	prepared optics.Model // the camera model, prepared by optics.Prepared for faster projection
	fov      *abstraction.FieldOfView
	drawn    optics.Model // model for rendering: the camera model or its approximation
	cubeFace int          // size of the faces of the cube map from which images are made, px; 0 if there is no cube map
	poseSC   spatial.Pose // pose of the optical frame in the mount if the camera has no head
	poseBC   spatial.Pose // present pose of this frame on the robot
	head     *Head        // head that turns the camera; nil if the camera has none
	hidden   []render.Hidden
	exposure imaging.Exposure
	samples  []imaging.Sample
	chip     *render.Chip
	// keepsAbove is true if images keep light above white.
	keepsAbove bool
	// automatic controls exposure and white balance. It is nil if both are fixed.
	automatic *imaging.Automatic
	metered   []mgl64.Vec3     // directions in the optical frame along which automatic meters light
	fixed     imaging.Settings // the settings if automatic is nil
	bodies    []body           // reused
	chips     *chip.Processor  // applies the chip to images that are averaged from several samples
	measured  *render.Ranging  // the measurement of depth with faults and limits; nil without depth
	limited   *render.Ranging  // the measurement of depth with limits but without faults; nil without depth
	right     *rightEye        // the right camera of a stereo pair; nil for other cameras
	vision    *abstraction.Vision
	blind     *abstraction.Vision // vision of the camera while its images are noise; created on first use
	// occlusion holds the directions that the camera's own robot occludes, computed for the camera's initial position.
	// A head changes this position only a little.
	occlusion *abstraction.SelfOcclusion
}

// newCamera returns the camera of a configuration. The camera looks along the x axis of its mount. With a mirror, it
// looks up into the mirror instead.
func newCamera(d device, site Site) (Sensor, error) {
	c := &Camera{
		device: d, poseSC: spatial.BodyToOptical(), hidden: site.Hidden,
		exposure: imaging.Exposure{Shutter: d.cfg.Shutter, Focus: d.cfg.Focus},
		chip:     d.cfg.Imager.Chip(d.cfg.Image.Width, d.cfg.Image.Height, d.cfg.Shutter, d.noise),
		chips:    &site.Cache.chips, keepsAbove: keepsAbove(d.cfg, site.Scene),
	}
	c.samples, c.fixed = c.exposure.Samples(), d.cfg.Imager.Settings()
	var err error
	switch c.model = d.cfg.Image.Pinhole(); {
	case d.cfg.Mirror != nil:
		c.poseSC = lookingUp()
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
	c.poseBC = c.poseBS.Mul(c.poseSC)
	c.prepared, c.fov, c.drawn = optics.Prepared(c.model), site.Cache.fieldOfView(c.model), c.model
	if m, ok := c.model.(*optics.Mirror); ok && d.cfg.Mirror.Method != imaging.MirrorRaycast {
		if c.drawn, err = optics.NewCentral(m, c.poseBC.Pos[2]); err != nil {
			return nil, fmt.Errorf("mirror: %w", err)
		}
	}
	if d.cfg.Ranging != nil {
		c.measured, c.limited = d.cfg.Ranging.Measured(), d.cfg.Ranging.Limited()
	}
	if d.cfg.Stereo != nil {
		c.right = newRightEye(d.cfg, site)
	}
	c.vision = abstraction.NewVision(d.cfg.Vision, c.depthSigma(), d.cfg.Rate)
	if d.cfg.AutoExposure != nil || d.cfg.AutoWhiteBalance != nil {
		c.automatic = imaging.NewAutomatic(d.cfg.Imager, d.cfg.AutoExposure, d.cfg.AutoWhiteBalance, d.cfg.Rate)
		c.metered = raysOf(c.prepared)
	}
	if d.cfg.Head != nil {
		c.head = newHead(d.cfg, c.prepared)
		if d.cfg.Head.OnJoints() {
			if err := c.head.attach(&c.device, site.Robot); err != nil {
				return nil, err
			}
		}
	}
	if site.Scene != nil {
		c.occlusion = site.Cache.selfOcclusion(site, c.PoseBC().Pos)
	}
	return c, nil
}

// lookingUp returns the pose, in the mount, of the optical frame of a camera that looks up along the z axis to the
// mirror's viewpoint. The x axis of the mount, the front, points to the upper edge of the image. The y axis of the
// mount, the left, points to the right edge of the image, because a mirror reverses the image.
func lookingUp() spatial.Pose { return spatial.Pose{Rot: spatial.RotZ(math.Pi / 2)} }

// Carry moves the camera and its head with the joint that carries them.
func (c *Camera) Carry(at *Instant) {
	c.device.Carry(at)
	c.poseBC = c.poseBS.Mul(c.poseSC)
	switch {
	case c.head == nil:
	case c.head.neck != nil:
		c.head.follow(c.joint.states(at.Snapshot), c.poseBC)
	default:
		c.head.poseBM = c.poseBS
		c.head.place()
	}
}

// Model returns the camera model.
func (c *Camera) Model() optics.Model { return c.model }

// PoseBC returns the present pose of the optical frame on the robot, including the head.
func (c *Camera) PoseBC() spatial.Pose {
	if c.head != nil {
		return c.head.poseBC
	}
	return c.poseBC
}

// Head returns the head that turns the camera. It returns nil for a fixed camera.
func (c *Camera) Head() *Head { return c.head }

// MeasuresDepth reports whether the camera also delivers depth images.
func (c *Camera) MeasuresDepth() bool { return c.measured != nil || c.right != nil }

// LocationCovariance returns the covariance, in m², of the position at which the camera's vision locates an object of
// the given kind. The argument posB is the position of the object, and poseBC is the observation's pose of the optical
// frame. Both, and the covariance, are in the robot's frame. Any goroutine may call LocationCovariance.
func (c *Camera) LocationCovariance(kind abstraction.Kind, poseBC spatial.Pose, posB mgl64.Vec3) mgl64.Mat3 {
	return c.cfg.Vision.LocationCovariance(kind, c.prepared, poseBC, c.depthSigma(), posB)
}

// View returns what the renderer needs for a frame at a level with images. The caller must set the image buffers, which
// must have the size of the camera's Model.
func (c *Camera) View(level abstraction.Level, at *Instant) render.View {
	v := render.View{Model: c.drawn, PoseWC: at.State().PoseWB.Mul(c.PoseBC()), Hidden: c.hidden, CubeFace: c.cubeFace,
		Ranging: c.limited}
	if level == abstraction.Raw {
		v.Vignetting, v.Ranging = c.cfg.Imager.Vignetting, c.measured
	}
	return v
}

// Settings returns the camera's settings of exposure, gain and white balance for the present frame. Control advances an
// Automatic camera to a frame.
func (c *Camera) Settings() imaging.Settings {
	if c.automatic == nil {
		return c.fixed
	}
	return c.automatic.Settings()
}

// Chip returns the faults of lens and chip for the colour image of a frame in a scene's light, and the key of the
// frame's image noise. The caller sets them as Chip and NoiseKey of the frame's View. If the image is averaged from
// several ExposureSamples, the caller instead passes them to Expose, and leaves Chip unset in the Views of the samples.
// At levels whose images have no faults, Chip returns nil and 0. The result is valid as long as obs is.
func (c *Camera) Chip(obs *Observation, scene *render.Scene, light *render.Light) (*render.Chip, uint64) {
	if obs.Level != abstraction.Raw {
		return nil, 0
	}
	return c.settled(c.chip, &obs.chip, obs, scene, light), imaging.NoiseKey(c.noise.Frame(obs.Frame))
}

// settled returns a chip with the settings and the light of a frame, in memory if they are not those of the chip.
func (c *Camera) settled(chip, memory *render.Chip, obs *Observation, scene *render.Scene,
	light *render.Light) *render.Chip {
	if c.automatic != nil || light.Flicker.On() {
		*memory = *chip
		chip = memory
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
	return chip
}

// NewImage returns an image with the size of the camera's colour images.
func (c *Camera) NewImage() *render.Image {
	im := render.NewImage(c.model.Size())
	if c.keepsAbove {
		im.KeepAbove()
	}
	return im
}

// NewDepth returns an image with the size of the camera's depth images.
func (c *Camera) NewDepth() *render.Depth {
	d := render.NewDepth(c.model.Size())
	if c.measured != nil && c.measured.DarkRange > 0 {
		d.KeepReflectance()
	}
	return d
}

// keepsAbove reports whether a camera's images of a scene must keep light that is brighter than white. They must if the
// lens scatters such light, or if the light spills to other pixels of the chip. In the natural look, which shows lamps
// and windows, they must also if images may be exposed less than normally, or if the light flickers.
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

// ExposureSamples lists the times and poses of the images that Expose averages. The list is empty if one image at the
// capture time suffices.
func (c *Camera) ExposureSamples(level abstraction.Level) []imaging.Sample {
	if level != abstraction.Raw {
		return nil
	}
	return c.samples
}

// Expose averages the images of all ExposureSamples into an image, and applies the faults of the chip to the result.
// The images must have been rendered without a chip. The arguments faults and noiseKey are the results of Chip for the
// frame. Expose may run in any goroutine.
func (c *Camera) Expose(into *render.Image, pictures []*render.Image, faults *render.Chip, noiseKey uint64) {
	c.exposure.Combine(into, pictures)
	c.chips.Apply(into, faults, noiseKey)
}

// Viewpoint returns the camera's model, pose and limits at an instant, for simulated vision at levels without images.
func (c *Camera) Viewpoint(at *Instant) abstraction.Viewpoint {
	maxRange := math.Inf(1)
	if _, largest, ok := c.cfg.DepthRange(); ok {
		maxRange = largest
	}
	return abstraction.Viewpoint{Model: c.prepared, PoseWC: at.State().PoseWB.Mul(c.PoseBC()), MaxRange: maxRange,
		FieldOfView: c.fov, SelfOcclusion: c.occlusion}
}

// Observe calls Perceive for an instant, without a picture. So it cannot be used at level features.
func (c *Camera) Observe(at *Instant, obs *Observation) {
	view, env := c.Viewpoint(at), *at.Environment
	obs.Settings = c.Settings()
	c.Perceive(&view, &env, nil, obs, false)
}

// Remembers reports whether the output of the camera's vision at a level depends on earlier frames.
func (c *Camera) Remembers(level abstraction.Level) bool {
	return level == abstraction.Objects && c.vision.Remembers()
}

// Exchange saves or restores the state of the head, of the vision, and of the control of exposure and white balance.
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

// Perceive fills in an observation at a level without images. At level features it computes the features from the
// argument picture. If offSchedule is true, the frame is not part of the camera's schedule, and the state of the vision
// does not change. Perceive may change view and env. It may run in any goroutine, but only for one frame of the camera
// at a time, in the order of the frames.
func (c *Camera) Perceive(view *abstraction.Viewpoint, env *abstraction.Environment, picture abstraction.Picture,
	obs *Observation, offSchedule bool) {
	vision, done := c.perceiveBroken(obs)
	if done {
		return
	}
	noise := c.noise.Frame(obs.Frame)
	if offSchedule {
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
	if c.cfg.Mirror != nil || c.cfg.Vision.Localises {
		vision.Localise(view, env, obs.Stamp, noise, obs.Objects)
	}
}
