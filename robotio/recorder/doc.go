// Package recorder records a running simulation: what it takes from outside, from which it can be run again; the ground
// truth; on request the exact state of every step, from which it can be shown again without being run; and what nodes
// publish.
//
//	rec, err := recorder.New("match.mcap", world, recorder.Config{Exact: true})
//	var opts omnipitch.Options
//	rec.Hook(&opts)
//	sim, err := omnipitch.New(world, opts)
//	rec.Follow(sim)
//	… // sim.Run
//	err = rec.Close()
//
// What a replay needs is recorded from New to Close: inputs, and hashes of states where there are no exact ones. What a
// recording shows is recorded while it is on: ground truth, exact states, nodes' topics. Switch, and with it
// action.Record, turns it on and off at any time, from any goroutine.
//
// The topics of a recording are those of names.go, of types of omnipitch_msgs, whose definitions say what the fields
// hold. All is written beside the simulation, by package recording: the goroutine that steps copies, and allocates
// nothing.
package recorder
