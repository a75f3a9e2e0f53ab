// Package replay reads recordings of package recorder. It makes a Sim that repeats the recorded run, from its exact
// states or by running it again with its recorded inputs.
//
//	rec, err := replay.Open("match.mcap")
//	defer rec.Close()
//	sim, err := rec.NewSim(omnipitch.Options{}, replay.Config{})
//	report, err := sim.Run(ctx, omnipitch.Pace{Speed: timesync.Max, For: rec.Length()})
package replay
