// Package timesync relates simulated time to wall time. It counts steps, paces them, waits for robots, measures the
// real-time factor, and predicts how much wall time future sim time will take. No other package of the simulation reads
// the wall clock: functions of other packages receive the present time as an argument.
//
// Sim time is a time.Duration since the start of the world. It is counted in whole steps of integer nanoseconds, so it
// never drifts. A real-time factor is sim time over wall time: 1 is real time, 4 is four times as fast.
//
// A run has a Clock, a Pacer, a Meter, and at speed lockstep a Gate (package lockstep):
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
// A robot's program has a Client, which follows the clock messages that it receives.
package timesync
