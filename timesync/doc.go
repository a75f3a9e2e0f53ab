// Package timesync relates simulated time to wall time: it counts steps, paces them, and measures how fast they go.
// It alone meets the wall clock; everywhere else in the simulation "now" is an argument.
//
// Sim time is a time.Duration since the start of the world, counted in whole steps of integer nanoseconds, so that
// it never drifts. A real-time factor is sim time over wall time: 1 is real time, 4 is four times as fast. Clock,
// Pacer and Meter belong to one goroutine; Meter.Factor may be read from any.
//
//	pacer := timesync.NewPacer(timesync.SystemWall(), timesync.RealTime)
//	meter := timesync.NewMeter(time.Second)
//	for sim := time.Duration(0); sim < 10*time.Second; sim += step {
//		pacer.Wait(ctx, sim)
//		meter.Add(pacer.Elapsed(), sim)
//	}
//	fmt.Println(meter.Factor())
package timesync
