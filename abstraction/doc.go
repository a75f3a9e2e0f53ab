// Package abstraction names the levels of abstraction of sensors, and computes those without images from ground truth:
// what share of each object a camera sees (Viewpoint.Visible), where the robot's vision would locate the objects and
// which it would miss (Vision.Perceive), where the robot would locate itself (Vision.Localise), and what segmentation
// would find in an image whose pixels are labelled (Vision.Segment). It imports neither engine nor renderer; its inputs
// are shapes, silhouettes, poses, camera models and labels.
//
// Positions are metres, in the robot's body frame B unless a name says otherwise; W is the world. Random numbers are
// those of package random. A Vision keeps the state of its filters and belongs to one goroutine at a time; so do an
// Environment and a Viewpoint.
//
//	env := &abstraction.Environment{Targets: targets, PoseWB: poseWB}
//	view := abstraction.Viewpoint{Model: cam, PoseWC: poseWB.Mul(poseBC), MaxRange: 8, FieldOfView: abstraction.NewFieldOfView(cam)}
//	share := view.Visible(env, 0) // of the first target, 0 to 1
//	vision := abstraction.NewVision(&config, nil, 30)
//	vision.Perceive(&view, env, stamp, noise.Frame(k), &list) // the objects of all targets
package abstraction
