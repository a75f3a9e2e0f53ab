// Package timesync relates simulated time to wall time: it counts steps, paces them, waits for robots, measures how
// fast a run goes, and predicts how much wall time coming sim time will take. It alone meets the wall clock; everywhere
// else in the simulation "now" is an argument.
//
// Sim time is a time.Duration since the start of the world, counted in whole steps of integer nanoseconds, so that it
// never drifts. A real-time factor is sim time over wall time: 1 is real time, 4 is four times as fast.
//
// A run has a Clock, a Pacer, a Meter, and at speed lockstep a Gate:
//
//	pacer := timesync.NewPacer(wall, clock.Step(), timesync.RealTime, nil)
//	meter := timesync.NewMeter(time.Second)
//	for clock.Time() < 10*time.Second {
//		pacer.Wait(ctx, clock.Time())
//		… // the step
//		pacer.Done(timesync.Work{})
//		meter.Add(wall.Now(), clock.Tick())
//	}
//
// A robot's program has a Client, which follows the ticks that a transport brings.
package timesync
