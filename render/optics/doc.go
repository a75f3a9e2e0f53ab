// Package optics maps directions to pixels and back for every kind of camera. It renders nothing and knows no scene.
//
// Directions and points are in the camera's optical frame (z forward, x right, y down, metres); pixel (0, 0) is the
// centre of the top-left pixel, u grows to the right, v downwards. Models are immutable values once built and safe
// for any number of goroutines.
//
//	cam := optics.Pinhole{Width: 640, Height: 480, FX: 554, FY: 554, CX: 319.5, CY: 239.5}
//	u, v, ok := cam.Project(mgl64.Vec3{0.1, 0, 2})
//	dir, ok := cam.Unproject(u, v)
//
// The catalogue:
//
//	optics.Pinhole        a lens without distortion
//	optics.BrownConrady   a lens with distortion: OpenCV, plumb_bob, rational_polynomial
//	optics.KannalaBrandt  a fisheye lens: OpenCV's fisheye, equidistant
//	optics.Unified        Mei's sphere: OpenCV's omnidir, for mirrors and fisheyes
//	optics.Hyperbolic     a pinhole that looks into a hyperbolic mirror, by its geometry
package optics
