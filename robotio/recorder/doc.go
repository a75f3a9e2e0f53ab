// Package recorder records a running simulation. A recording has the external inputs, with which a replay runs the
// world again. It has the ground truth and topics, and on request the exact state of every step, which a replay shows
// without running the world.
//
//	rec, err := recorder.New("match.mcap", world, recorder.Config{Exact: true})
//	var opts omnipitch.Options
//	rec.Hook(&opts)
//	sim, err := omnipitch.New(world, opts)
//	rec.Follow(sim)
//	… // sim.Run
//	err = rec.Close()
//
// Inputs are recorded from New to Close, and so are hashes of states where there are no exact states: a replay needs
// them. Ground truth, exact states and topics are recorded while the recording is on. Switch, and so action.Record,
// turns it on and off at any time, from any goroutine.
//
// output.go lists the topics of a recording. Their types are in omnipitch_msgs, whose definitions describe the fields.
// Package recording compresses and writes them in other goroutines. The goroutine that steps only copies, and allocates
// nothing.
package recorder
