// Package contour computes in closed form what an image shows of bodies: the rows of pixels that each covers, and what
// is nearer before it. No pixel is drawn. Bodies are made of convex polyhedra, whose contours are projected by the
// camera's model; an image is intervals in each row of pixels, at the pixels' middles.
//
// Bodies have frames of their own, in metres; B is a body's, W the world's, C the camera's optical frame. An Image
// belongs to one goroutine at a time; a Form and a Camera are immutable.
//
//	camera := contour.NewCamera(model)
//	solids := []contour.Solid{{Form: contour.NewForm(contour.NewHulls(pieces), nil), Target: 0}, {Radius: 0.11, Target: 1, Body: 1}}
//	var image contour.Image
//	image.Draw(camera, poseWC, maxRange, &contour.Scene{Solids: solids, Targets: 2}, posesWB, -1, nil)
//	boxes := image.Boxes(2, nil)
package contour
