package sensors

import (
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// Kinds of camera.
const (
	OmniKind   Kind = "omni"   // looks into a mirror
	CameraKind Kind = "camera" // a plain one
	KinectKind Kind = "kinect" // measures depth, with a colour image registered to it
)

// cameraKinds makes the rows of kinds of camera, which share their tables.
func cameraKinds() []kind {
	shared := traits{
		levels: abstraction.Levels{abstraction.Raw, abstraction.Ideal, abstraction.Features, abstraction.Objects, abstraction.Truth},
		rate:   30, environment: true, profiles: industrialCameras(),
	}
	depth := shared
	depth.profiles = kinects()
	return []kind{
		{
			traits: shared, name: OmniKind, build: newOmni,
			tables: []string{"image", "mirror", "imager", "vision"}, optional: []string{"shutter"},
			complete: func(c *Config) {
				fill(&c.Mirror, imaging.DefaultMirror)
				c.completeCamera(imaging.DefaultOmniImage)
			},
		},
		{
			traits: shared, name: CameraKind, build: newPlain,
			tables: []string{"image", "imager", "vision"}, optional: []string{"lens", "shutter", "head", "focus"},
			complete: func(c *Config) { c.completeCamera(imaging.DefaultImage) },
		},
		{
			traits: depth, name: KinectKind, build: newKinect,
			tables: []string{"image", "imager", "ranging", "vision"}, optional: []string{"shutter", "head", "focus"},
			complete: func(c *Config) {
				fill(&c.Ranging, imaging.KinectV2)
				c.completeCamera(imaging.KinectImage)
			},
		},
	}
}

// completeCamera fills what all cameras need.
func (c *Config) completeCamera(image func() imaging.Image) {
	fill(&c.Image, image)
	fill(&c.Imager, imaging.DefaultImager)
	fill(&c.Vision, abstraction.DefaultVision)
}

func fill[T any](table **T, defaults func() T) {
	if *table == nil {
		d := defaults()
		*table = &d
	}
}

func kinects() []profile {
	return []profile{
		{"kinect-v1", func(c *Config) {
			// 640×480 at 57° (Khoshelham and Elberink 2012); the rest as of KinectV1.
			r := imaging.KinectV1()
			c.Image, c.Ranging = &imaging.Image{Width: 640, Height: 480, FOV: 57 * spatial.Degree}, &r
		}},
		{"kinect-v2", func(c *Config) {
			image, r := imaging.KinectImage(), imaging.KinectV2()
			c.Image, c.Ranging = &image, &r
		}},
	}
}

func industrialCameras() []profile {
	return []profile{
		// Teledyne FLIR's page "Specifications and Frame Rates" of the BFS-U3-04S2: Sony IMX287, 720×540 pixels of 6.9 µm,
		// global shutter. Full well and read noise are guesses for pixels of that size; the lens is one of 6 mm.
		{"blackfly-s-04s2", func(c *Config) { c.industrial(720, 540, 6.9e-6, 6e-3, 22_000, 4) }},
		// The same of the FFY-U3-16S2: Sony IMX296, 1440×1080 pixels of 3.45 µm, global shutter. Guesses as above.
		{"firefly-16s2", func(c *Config) { c.industrial(1440, 1080, 3.45e-6, 6e-3, 10_500, 3) }},
	}
}

// industrial is a camera with a mosaic and a chip of pixels of the given size behind a lens of the given focal length,
// both in metres.
func (c *Config) industrial(width, height int, pixel, focal, fullWell, readNoise float64) {
	imager := imaging.DefaultImager()
	imager.FullWell, imager.ReadNoise, imager.Bayer = fullWell, readNoise, true
	c.Image = &imaging.Image{Width: width, Height: height, FOV: 2 * math.Atan(float64(width)/2*pixel/focal)}
	c.Imager = &imager
}

// newPlain returns a camera that looks along the x axis of its mount.
func newPlain(d device, site Site) (Sensor, error) {
	var model optics.Model = d.cfg.Image.Pinhole()
	if d.cfg.Lens != nil {
		var err error
		if model, err = d.cfg.Lens.Camera(d.cfg.Image); err != nil {
			return nil, fmt.Errorf("lens: %w", err)
		}
	}
	return newCamera(d, model, d.cfg.Mount.Pose().Mul(spatial.BodyToOptical()), site), nil
}

// newOmni returns a camera that looks up into a mirror. Its optical frame sits in the mirror's viewpoint: z up, and the image's
// upper edge towards the robot's front.
func newOmni(d device, site Site) (Sensor, error) {
	model, err := d.cfg.Catadioptric()
	if err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	c := newCamera(d, model, d.cfg.Mount.Pose().Mul(lookingUp()), site)
	if m, ok := model.(*optics.Mirror); ok && d.cfg.Mirror.Method == "raster" {
		if c.drawn, err = optics.NewCentral(m, c.poseBC.Pos[2]); err != nil {
			return nil, fmt.Errorf("mirror: %w", err)
		}
	}
	return c, nil
}

// lookingUp returns the pose of the optical frame of a camera that looks along z of the frame it is mounted in, with
// x, the front, towards the image's upper edge. So the left (y) is on the image's right: seen from below, as in a
// mirror, the world is reversed.
func lookingUp() spatial.Pose { return spatial.Pose{Rot: spatial.RotZ(math.Pi / 2)} }

// newKinect returns a depth camera with a colour image registered to the depth image, as its driver delivers it: both share one
// viewpoint and one size.
func newKinect(d device, site Site) (Sensor, error) {
	model := d.cfg.Image.Pinhole()
	c := newCamera(d, model, d.cfg.Mount.Pose().Mul(spatial.BodyToOptical()), site)
	c.ranger = imaging.NewRanger(d.cfg.Ranging, model)
	return c, nil
}

// Catadioptric returns the camera model of an omni camera's configuration.
func (c *Config) Catadioptric() (optics.Catadioptric, error) {
	return c.Mirror.Camera(c.Image.Pinhole(), c.Mount.Z)
}
