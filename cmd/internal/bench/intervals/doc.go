// Package intervals measures how long intervals of sim time take in a running simulation, and how well that is
// predicted: by the simulation itself, and by the methods that others use.
//
// Wall times are on the machine's clock, less what measuring takes. A Run is for one goroutine.
package intervals
