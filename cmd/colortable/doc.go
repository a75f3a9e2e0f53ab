// Package colortable makes a starter colour table for a camera's vision software: it draws the camera's raw images with robots, obstacles and
// ball at many places of the field, in the world's own light, and counts which colours show what. It draws with the ray caster, so that a
// table is the same on every machine, and uses one goroutine of its caller.
//
//	table, confusion, err := colortable.Make(ctx, world, "cyan1", "omni", calibration.YUV, (*calibration.ColorCounts).Table, status, calibration.GreenColor)
//	fmt.Println(confusion)
package colortable
