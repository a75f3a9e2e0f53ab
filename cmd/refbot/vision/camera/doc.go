// Package camera says where a pixel of an omnidirectional camera looks, by the file that calibration wrote, and which
// point of the floor it shows. It does not read images.
//
//	m, err := camera.Read(file) // calib_results.txt of the OCamCalib toolbox
//	floor := camera.NewFloor(m, camera.Mount{Height: 0.78, Yaw: -math.Pi / 2, Mirrored: true}, 8)
//	x, y, ok := floor.At(u, v)
//
// The robot's frame has x ahead, y to the left and z up, metres. A pixel (u, v) is column and row; (0, 0) is the middle
// of the top left one. A Floor is constant once it is made: any goroutine may read it.
package camera
