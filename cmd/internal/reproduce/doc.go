// Package reproduce repeats the experiments of papers on soccer robots and their simulators in worlds of the simulator,
// and sets what comes out beside what the papers report.
//
// There is one file an experiment, and its row in Experiments. An experiment gets its world from a Trial, runs it, and
// adds findings and plots; nothing of what it reports is known beforehand, so that another world gives other numbers. A
// Report holds what came out, and is written as one page of HTML, as Markdown with plots, or as JSON.
//
// Positions are in metres in the map, angles in radians, but for findings, which name their units. Everything but wall
// time repeats to the last bit, by the seed of the world.
package reproduce
