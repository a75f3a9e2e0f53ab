package sensors

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// Kinds of camera.
const (
	OmniKind   Kind = "omni"   // looks into a mirror
	CameraKind Kind = "camera" // without mirror or depth
	KinectKind Kind = "kinect" // with depth and a registered colour image
)

// cameraKinds returns the rows of the kinds of cameras. The kinds have the same tables of configuration.
func cameraKinds() []*kind {
	levels := abstraction.Levels{abstraction.Raw, abstraction.Ideal, abstraction.Features, abstraction.Objects,
		abstraction.Truth}
	// The Kinect v2's depth image. The colour image is registered to the depth image, so it has the same model.
	v2 := imaging.Image{Width: 512, Height: 424, FOV: 70.6 * spatial.Degree}
	kinects := []profile{
		{"kinect-v1", func(c *Config) {
			// The image has 640×480 pixels at 57° (Khoshelham and Elberink 2012). The measurement of depth is that of
			// KinectV1.
			ranging := imaging.KinectV1()
			c.Image, c.Ranging = &imaging.Image{Width: 640, Height: 480, FOV: 57 * spatial.Degree}, &ranging
		}},
		{"kinect-v2", func(c *Config) {
			image := v2
			c.Image, c.Ranging = &image, new(imaging.Ranging)
			c.Ranging.SetDefaults()
		}},
	}
	return []*kind{
		{
			name: OmniKind, levels: levels, rate: 30, environment: true, profiles: boughtCameras(),
			// with this angle of view the image contains the whole disc of the default mirror
			image:  imaging.Image{Width: 640, Height: 640, FOV: 66 * spatial.Degree},
			tables: []string{"image", "mirror", "imager", "vision"}, optional: []string{"shutter", "auto_exposure",
				"auto_white_balance"},
		},
		{
			name: CameraKind, levels: levels, rate: 30, environment: true, profiles: boughtCameras(),
			tables: []string{"image", "imager", "vision"}, optional: []string{"lens", "shutter", "head", "focus",
				"auto_exposure", "auto_white_balance"},
		},
		{
			name: KinectKind, levels: levels, rate: 30, environment: true, profiles: kinects, image: v2,
			tables: []string{"image", "imager", "ranging", "vision"}, optional: []string{"shutter", "head", "focus",
				"auto_exposure", "auto_white_balance"},
		},
		stereoKind(levels),
	}
}

// Catadioptric returns the camera model of an omni camera's configuration.
func (c *Config) Catadioptric() (optics.Catadioptric, error) {
	return c.Mirror.Camera(c.Image.Pinhole(), c.Mount.Z)
}

// NeedsCubeMap reports whether a camera's images are made from cube maps.
func (c *Config) NeedsCubeMap() bool { return c.Mirror != nil && c.Mirror.Method == imaging.MirrorCube }
