// Package reproduce repeats experiments of papers on soccer robots and their simulators, and compares the results with
// the papers.
//
// Each experiment has its own file and a row in Experiments. It loads its world from a Trial, runs it, and adds
// findings and plots. All values are measured, so another world gives other values. A Report contains the results. It
// can be written as an HTML page, as Markdown with plots, or as JSON.
//
// Positions are in metres in the map, angles in radians; findings name their units. For a given seed, everything but
// wall time is reproducible to the last bit.
package reproduce
