package sensors

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// StereoKind is the kind of stereo pairs. Their depth comes from their images.
const StereoKind Kind = "stereo"

// stereoKind returns the row of stereo pairs. A pair has no lens, because its images are rectified.
func stereoKind(levels abstraction.Levels) *kind {
	return &kind{
		name: StereoKind, levels: levels, rate: 30, environment: true, image: imaging.ZED(),
		profiles: []profile{{"zed", zed}},
		tables:   []string{"image", "imager", "stereo", "vision"}, optional: []string{"shutter", "head", "focus",
			"auto_exposure", "auto_white_balance"},
	}
}

// rightEye is the right camera of a stereo pair. It has the model and the kind of chip of the left one.
type rightEye struct {
	poseCR   spatial.Pose // pose in the optical frame of the left camera
	chip     *render.Chip
	noise    random.Source
	matching *render.Stereo
}

// newRightEye returns the right camera of a pair.
func newRightEye(cfg *Config, site Site) *rightEye {
	noise := random.New(site.Seed, site.Robot.Name, cfg.Name+".right", 0)
	return &rightEye{
		poseCR: cfg.RightPose(), noise: noise,
		chip:     cfg.Imager.Chip(cfg.Image.Width, cfg.Image.Height, cfg.Shutter, noise),
		matching: cfg.Stereo.Matching(cfg.Image.Pinhole()),
	}
}

// RightPose returns the pose of the right camera of a stereo pair, in the optical frame of the left one.
func (c *Config) RightPose() spatial.Pose {
	return spatial.Pose{Pos: mgl64.Vec3{c.Stereo.Baseline, 0, 0}, Rot: mgl64.QuatIdent()}
}

// Stereo returns how the depth of a stereo pair is computed from its images. It returns nil for other cameras.
func (c *Camera) Stereo() *render.Stereo {
	if c.right == nil {
		return nil
	}
	return c.right.matching
}

// RightView returns the view of a pair's right camera, from the view of the left one. The caller must set the image
// buffer.
func (c *Camera) RightView(v render.View) render.View {
	v.PoseWC = v.PoseWC.Mul(c.right.poseCR)
	v.Color, v.Depth, v.Truth, v.Before, v.Chip = nil, nil, nil, nil, nil
	return v
}

// RightChip is Chip for the right camera of a pair.
func (c *Camera) RightChip(obs *Observation, scene *render.Scene, light *render.Light) (*render.Chip, uint64) {
	if obs.Level != abstraction.Raw {
		return nil, 0
	}
	return c.settled(c.right.chip, &obs.rightChip, obs, scene, light), imaging.NoiseKey(c.right.noise.Frame(obs.Frame))
}

// DepthRange returns the depths that a camera of the configuration measures, in m. It returns false if the camera
// measures none.
func (c *Config) DepthRange() (least, largest float64, ok bool) {
	switch {
	case c.Ranging != nil:
		return c.Ranging.Min, c.Ranging.Max, true
	case c.Stereo != nil:
		return c.Stereo.Min, c.Stereo.Max, true
	}
	return 0, 0, false
}

// depthSigma returns the standard deviation of measured depths as a function of depth. It returns nil if the camera
// does not measure depth.
func (c *Camera) depthSigma() abstraction.RangeSigma {
	switch {
	case c.cfg.Ranging != nil:
		return c.cfg.Ranging.Sigma
	case c.cfg.Stereo != nil:
		return c.cfg.Stereo.Sigma(c.model.(optics.Pinhole))
	}
	return nil
}
