// Package abstraction holds the ladder of levels that a sensor instance stands on, and computes its upper rungs from
// ground truth: which objects a camera can see (Eye, by the Silhouettes of bodies and the Housing of its own robot), where the robot's
// vision would believe them to be and what it would miss (Vision.See), where the robot itself (Vision.LocateSelf), and what segmentation
// finds in a picture whose pixels are labelled (Vision.Segment). It knows neither engine nor renderer; its inputs are outlines, poses,
// camera models and labels.
//
// Positions are metres, in the robot's body frame B unless a name says otherwise; W is the world. Randomness is
// counter-based (random.Source): a value depends on its key alone, not on the order of calls. A Vision remembers what its filters do, and belongs
// to one goroutine at a time; everything else is safe for any number.
//
//	scene := &abstraction.Scene{Targets: targets, PoseWB: poseWB}
//	eye := abstraction.Eye{Model: cam, PoseWC: poseWB.Mul(poseBC), MaxRange: 8, Sight: abstraction.NewSight(cam)}
//	seen := eye.Visible(scene, 0)                          // share of the first target, 0 to 1
//	vision := abstraction.NewVision(&config, nil, 30)
//	vision.See(&eye, scene, stamp, noise.Frame(k), &list)  // what it reports of all
package abstraction
