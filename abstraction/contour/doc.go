// Package contour computes in closed form what an image shows of bodies: the rows of pixels that each body covers, and
// its occlusion. It renders no pixels. Bodies consist of convex polyhedra, whose contours are projected with the camera
// model. An image is a list of intervals in each row of pixels, at the pixels' centres.
//
// Bodies have their own frames, m; B is a body's, W the world's, C the camera's optical frame. An Image belongs to one
// goroutine at a time. A Form and a Camera are immutable.
//
//	camera := contour.NewCamera(model)
//	solids := []contour.Solid{
//		{Form: contour.NewForm(contour.NewHulls(pieces), nil), Target: 0},
//		{Radius: 0.11, Target: 1, Body: 1},
//	}
//	var image contour.Image
//	image.Draw(camera, poseWC, maxRange, &contour.Scene{Solids: solids, Targets: 2}, posesWB, -1, nil)
//	boxes := image.Boxes(2, nil)
package contour
