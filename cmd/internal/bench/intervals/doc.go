// Package intervals measures how long intervals of sim time take in a running simulation, and the errors of
// predictions: the simulation's own, and those of methods in the literature.
//
// Wall times exclude the time of measuring. Only one goroutine may use a Run.
package intervals
