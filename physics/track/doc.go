// Package track keeps the exact state of every step of a run, and plays it. A Recorder is an engine around another one,
// whose states it gives to a Log, which codes them in blocks beside the run. A Playback is an engine that gives the
// states of a log, and computes nothing; a Checker one that compares another's states with a log's. The package neither
// stores blocks nor knows files: see Source.
//
// Frames and units are those of package physics. A goroutine of the Log's own codes; all types but Log belong to one
// goroutine at a time.
//
//	log := track.NewLog(func(h track.Header, block []byte) { … }) // keeps blocks
//	engine = track.NewRecorder(engine, model, log)                // of options.NewEngine
//	…
//	err := log.Close()
//
//	engine, err = track.NewPlayback(model, source, 0)
//
// What is logged is each state that Snapshot is the first to give: after a step, and after bodies were placed. A step
// may have several: those before Settle, of which the last is observed, and those of bodies that are placed after it.
// An episode is what one engine gave: a restart begins the next.
//
// # How a block is coded
//
// A block is a table of 64-bit words: a row for each state, a column for each number of it. Each row is predicted from
// the one before, and only what predictions were wrong by is stored.
//
// Velocities come out of a solver, and nothing else tells them: about 40 of their 64 bits are new in each step, and
// take most of a block. But from velocities nearly everything else follows, often to the last bit, because engines
// compute it by a few operations, which a prediction repeats in the same order: positions and rotations (libode
// integrates at the centre of mass, the planar engine along arcs), accelerations (differences of velocities over the
// step), the angles of wheels (sums of their rates), and nearly the rates of wheels (they hardly slip). So columns are
// ordered: angular velocity, rotation, velocity, position, accelerations, wheels. Velocities, wheel rates, currents and
// voltages are predicted by extrapolation; of the orders 0 to 3 each column of a block takes the one that suits it
// best.
//
// Residuals are differences of the numbers' bits, taken as integers that are ordered as the numbers are; so every bit
// pattern comes back, −0 and all NaNs included. A column's residuals are packed with the number of bits that most of
// them need, and the others follow as patches (patched frame of reference; M. Zukowski et al., Super-scalar RAM-CPU
// cache compression, 2006). The predictions' constants (heights of centres of mass, wheels) stand in the block: it is
// read without its model. Predictions use additions, products, divisions and square roots alone, rounded one by one:
// every machine computes the same.
//
// In order, with integers as in encoding/binary's varints and numbers as their bits, little-endian:
//
//	header      version 1, episode, number of states n, first and last step, first and last sim time (ns)
//	shape       step (ns), robots, obstacles, kinds of bodies with their constants, the kind of each body
//	first row   a bit for each column: is it not 0? then those words
//	columns     of rows 2 to n: a byte, order × 64 + width; unless that is 0 the low bits of all residuals, the number of patches,
//	            and for each how many residuals it skips, and the high bits
//	touches     of all rows, a column for each number; predicted from the touch of the same bodies in the row before; left out if none
//	events      the same, without predictions
//	checksum    CRC-32C of all before
//
// A state that is not a step later than the one before (something was placed) is predicted to be as it was.
package track
