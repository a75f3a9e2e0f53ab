// Package replay reads what package recorder has recorded: it makes a Sim that does what the recorded one did, from its
// exact states or by running it again from what it took from outside.
//
//	rec, err := replay.Open("match.mcap")
//	defer rec.Close()
//	sim, err := rec.NewSim(omnipitch.Options{}, replay.Config{})
//	report, err := sim.Run(ctx, omnipitch.Pace{Speed: timesync.Max, For: rec.Length()})
package replay
