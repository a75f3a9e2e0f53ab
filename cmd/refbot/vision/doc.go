// Package vision finds the ball, field lines, robots and obstacles in single camera images. It keeps no tracks:
// packages locate and track follow the detections from image to image.
//
//	model, err := vision.ReadOmniModel(file) // calib_results.txt of the OCamCalib toolbox
//	mount := vision.OmniMount{Height: 0.78, Yaw: -math.Pi / 2, Mirrored: true}
//	view, floor := vision.NewOmniView(model, mount), vision.NewFloor(model, mount, 8)
//	points := vision.NewLineFinder(floor, 360, 0.125).Find(image)
//
//	table, err := vision.ReadColorTable(file, vision.YUV) // CTable.dat
//	classes := vision.NewSegmenter(table, view.Width, view.Height, carpet).Segment(image)
//	balls := vision.NewBallFinder(view, vision.BallRadius).Find(image, classes)
//	obstacles := vision.NewObstacleFinder(floor, 360).Find(classes, onField)
//
// The finders and the inputs that they need:
//
//	LineFinder          points of white lines: rgb8 of any camera, no colour table
//	ObstacleFinder      robots and boxes: colour classes of an omnidirectional camera
//	LensObstacleFinder  robots and boxes: colour classes of a camera with a lens
//	BallFinder          the ball by colour and outline: rgb8 and classes of any camera
//	CardFinder          robots by their colour cards: rgb8 of a camera with a lens, no colour table
//	DepthBallFinder     the ball by depth and shape: 16UC1 of a depth camera, classes optional
//
// Images are rgb8, row by row. Places are in the robot's frame, metres: x ahead, y to the left, z up. Pixel (u, v) is
// column and row; (0, 0) is the centre of the top-left pixel.
//
// OmniModel, Pinhole, Floor and ColorTable are constant once made, and any goroutine may read them. So is a View,
// unless Aim moves it. Finders and Segmenters belong to one goroutine. Their results are valid until the next call, and
// they allocate nothing after the first few images.
package vision
