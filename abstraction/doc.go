// Package abstraction defines the levels of abstraction of sensors, and computes those without images from ground
// truth: the visible share of each object (Viewpoint.Visible), the positions at which the robot's vision locates
// objects and its misses (Vision.Perceive), the robot's own localisation (Vision.Localise), and the result of
// segmentation of an image with labelled pixels (Vision.Segment). It imports neither engine nor renderer. Its inputs
// are shapes, silhouettes, poses, camera models and labels.
//
// Positions are in metres in the robot's body frame B, unless a name says otherwise; W is the world. Random numbers are
// those of package random. A Vision contains the state of its filters and belongs to one goroutine at a time; so do an
// Environment and a Viewpoint.
//
//	env := &abstraction.Environment{Targets: targets, PoseWB: poseWB}
//	view := abstraction.Viewpoint{Model: cam, PoseWC: poseWB.Mul(poseBC), MaxRange: 8}
//	share := view.Visible(env, 0) // of the first target, 0 to 1
//	vision := abstraction.NewVision(&config, nil, 30)
//	vision.Perceive(&view, env, stamp, noise.Frame(k), &list) // the objects of all targets
package abstraction
