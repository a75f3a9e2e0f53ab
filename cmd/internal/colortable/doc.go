// Package colortable makes an initial colour table for a camera's vision software. A Drawing renders the camera's raw
// images of a world with robots, obstacles and ball at many positions, in the world's light, and counts the colours of
// each class of objects. The counts are a calibration.ColorHistogram. A table is made from one histogram, possibly of
// several worlds, and tested with another. The ray caster renders the images on the calling goroutine, so a table is
// the same on every machine.
//
//	var learned, judged calibration.ColorHistogram
//	d, err := colortable.Open(world, "cyan1", "omni", status)
//	err = d.Count(ctx, colortable.Learned, &learned)
//	err = d.Count(ctx, colortable.Judged, &judged)
//	fmt.Println(judged.Judge(learned.Table(calibration.YUV)))
package colortable
