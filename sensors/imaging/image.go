package imaging

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Image is a camera's picture and lens.
type Image struct {
	Width  int     `toml:"width_px" range:"[16, 4096]"`
	Height int     `toml:"height_px" range:"[16, 4096]"`
	FOV    float64 `toml:"fov_deg" range:"[5, 350]" doc:"angle across the whole width, without distortion; at most 160 unless the lens is a fisheye or unified; of an omni camera, before the mirror"`
}

// Pinhole returns the camera without a distorting lens.
func (i *Image) Pinhole() optics.Pinhole { return optics.PinholeFromFOV(i.Width, i.Height, i.FOV) }

// DefaultImage is a 640×480 camera with a common 6 mm lens.
func DefaultImage() Image { return Image{Width: 640, Height: 480, FOV: 62 * spatial.Degree} }

// DefaultOmniImage fits the mirror's disc of DefaultMirror into 640×640 pixels.
func DefaultOmniImage() Image { return Image{Width: 640, Height: 640, FOV: 66 * spatial.Degree} }

// KinectImage is the Kinect v2's depth image; its colour image is registered to it.
func KinectImage() Image { return Image{Width: 512, Height: 424, FOV: 70.6 * spatial.Degree} }
