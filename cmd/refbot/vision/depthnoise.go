package vision

// DepthNoise is the standard deviation with which a depth camera measures a surface that faces the camera, as a
// function of the depth z.
type DepthNoise struct {
	Along        [3]float64 // of the depth, m: coefficients of 1, z and z², with z in m
	Across       float64    // sideways, m
	AcrossPixels float64    // sideways, pixels
}

var (
	// KinectV2 measures time of flight. Source: Fankhauser et al., "Kinect v2 for mobile robot navigation: evaluation
	// and modeling", ICAR 2015.
	KinectV2 = DepthNoise{Along: [3]float64{1.5e-3, -0.5e-3, 0.3e-3}, Across: 1.6e-3}

	// KinectV1 uses structured light: 0.0012 + 0.0019·(z − 0.4)² m. Source: Nguyen, Izadi and Lovell, "Modeling Kinect
	// sensor noise for improved 3D reconstruction and tracking", 3DIMPVT 2012. The quantisation of the depth, 2.85
	// mm·z², is included in this noise, except for z below 2 m.
	KinectV1 = DepthNoise{Along: [3]float64{0.0012 + 0.0019*0.4*0.4, -2 * 0.0019 * 0.4, 0.0019}, AcrossPixels: 0.8}
)

func (n *DepthNoise) along(z float64) float64 { return n.Along[0] + z*(n.Along[1]+z*n.Along[2]) }

// across returns the sideways standard deviation at the depth z, in m. focal is the focal length in pixels.
func (n *DepthNoise) across(z, focal float64) float64 { return n.Across + n.AcrossPixels*z/focal }
