// Package recorder records a running simulation. A recording contains the external inputs, so that a replay can run the
// world again. It contains the ground truth and topics. On request it also contains the exact state of every step, so
// that a replay can show the run without running the world again.
//
//	rec, err := recorder.New("match.mcap", world, recorder.Config{Exact: true})
//	var opts omnipitch.Options
//	rec.Hook(&opts)
//	sim, err := omnipitch.New(world, opts)
//	rec.Follow(sim)
//	… // sim.Run
//	err = rec.Close()
//
// Inputs are recorded from New to Close, because a replay needs them. For each step without an exact state, a hash of
// the state is recorded too. Ground truth, exact states and topics are recorded while the recording is on. Switch, and
// so action.Record, turns it on and off at any time, from any goroutine.
//
// output.go lists the topics of a recording. Their types are in omnipitch_msgs, whose definitions describe the fields.
// Package recording compresses and writes them in other goroutines. The goroutine that steps the simulation only copies
// data, and allocates nothing.
package recorder
