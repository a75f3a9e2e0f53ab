// Package colortable makes a starter colour table for a camera's vision software, in three parts. A Drawing draws the
// camera's raw images of a world, with robots, obstacles and ball at many places of the field, in the world's own
// light, and counts which colours show what. A calibration.ColorHistogram of them, or of several worlds together, is
// what a table is made of; another is what any table is judged by. It draws with the ray caster, so that a table is the
// same on every machine, and uses one goroutine of its caller.
//
//	var learned, judged calibration.ColorHistogram
//	d, err := colortable.Open(world, "cyan1", "omni", status)
//	err = d.Count(ctx, colortable.Learned, &learned)
//	err = d.Count(ctx, colortable.Judged, &judged)
//	fmt.Println(judged.Judge(learned.Table(calibration.YUV)))
package colortable
