package vision

// DepthNoise is the standard deviation of what a camera measures of a surface that faces it, at a distance z.
type DepthNoise struct {
	Along        [3]float64 // of the depth, m: of 1, of z and of z², z in m
	Across       float64    // sideways, m
	AcrossPixels float64    // the same, pixels
}

var (
	// KinectV2 is by time of flight. Source: Fankhauser et al., "Kinect v2 for mobile robot navigation: evaluation and
	// modeling", ICAR 2015.
	KinectV2 = DepthNoise{Along: [3]float64{1.5e-3, -0.5e-3, 0.3e-3}, Across: 1.6e-3}

	// KinectV1 is by structured light: 0.0012 + 0.0019·(z − 0.4)² m. Source: Nguyen, Izadi and Lovell, "Modeling Kinect
	// sensor noise for improved 3D reconstruction and tracking", 3DIMPVT 2012. Its steps of 2.85 mm·z² are within that
	// but for z below 2 m.
	KinectV1 = DepthNoise{Along: [3]float64{0.0012 + 0.0019*0.4*0.4, -2 * 0.0019 * 0.4, 0.0019}, AcrossPixels: 0.8}
)

func (n *DepthNoise) along(z float64) float64 { return n.Along[0] + z*(n.Along[1]+z*n.Along[2]) }

// across is in metres, behind a lens of a focal length in pixels.
func (n *DepthNoise) across(z, focal float64) float64 { return n.Across + n.AcrossPixels*z/focal }
