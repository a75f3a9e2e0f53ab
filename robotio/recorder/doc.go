// Package recorder records a running simulation: what it takes from outside, from which it can be run again; the ground truth; on request the
// exact state of every step, from which it can be shown again without being run; and what nodes publish.
//
//	rec, err := recorder.New("match.mcap", world, recorder.Config{Exact: true})
//	var opts omnipitch.Options
//	rec.Hook(&opts)
//	sim, err := omnipitch.New(world, opts)
//	rec.Follow(sim)
//	… // sim.Run
//	err = rec.Close()
//
// The topics of a recording are those of names.go, of types of omnipitch_msgs, whose definitions say what the fields hold. All is written beside the
// simulation, by package recording: the goroutine that steps copies, and allocates nothing.
package recorder
