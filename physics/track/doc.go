// Package track records the exact state of every step of a run, and plays it back. A Recorder is an engine that wraps
// another engine and passes its states to a Log. The Log codes the states in blocks, in its own goroutine. A Playback
// is an engine that returns the states of a log and computes nothing. A Checker is an engine that wraps another engine
// and compares its states with the states of a log. The package does not store blocks and knows no files: see Source.
//
// Frames and units are those of package physics. Any goroutine may use a Log. Each other type belongs to one goroutine
// at a time.
//
//	log := track.NewLog(func(h track.Header, block []byte) { … }) // stores the block
//	engine = track.NewRecorder(engine, model, 0, log)             // in options.NewEngine
//	…
//	err := log.Close()
//
//	engine, err = track.NewPlayback(model, source, 0)
//
// A log holds the state after each step, and after bodies were placed, as the first call of Snapshot returns it. A step
// may have several states. The last state before Settle is the observed state. Bodies that are placed later in the step
// cause the states after Settle. An episode consists of all states of one engine: a restart begins the next episode.
//
// # Block format
//
// A block is a table of 64-bit words: a row for each state, and a column for each number of a state. Each row is
// predicted from the preceding rows, and the block stores the residuals: the differences of the numbers from their
// predictions.
//
// Velocities come out of a solver, so most of their bits are new in each step. From velocities other numbers follow,
// often to the last bit, because engines compute them with a few operations. The prediction repeats these: rotations,
// positions, accelerations (differences of velocities over the step) and angles of wheels (sums of their rates).
// Velocities, wheel rates, motor current and voltage, the dribbler's arms and the kicker's charge are extrapolated from
// the last three states. Integers and flags are predicted to stay as they were, and so is a whole state that follows
// one of the same step, because then only some bodies were placed.
//
// Residuals are differences of the numbers' bits, taken as integers that are ordered as the numbers are. So every bit
// pattern is restored, −0 and all NaNs included. Predictions only use additions, products, divisions and square roots,
// rounded one by one, so that every machine computes the same. The bytes of residuals are sorted by column and place,
// and compressed with zstd.
//
// In order, with integers as varints of encoding/binary:
//
//	header    format 2, or 3 for robots with joints, episode, number of states, first and last step, first and last
//	          sim time (ns)
//	shape     step (ns), robots, obstacles, touches and events together, in format 3 joints, 1 for robots that move
//	          on arcs or 0
//	zstd      residuals of the states, then of touches and events; in both column by column, and of each column first
//	          the lowest byte of all rows
//	checksum  CRC-32C of everything before, little-endian
package track
