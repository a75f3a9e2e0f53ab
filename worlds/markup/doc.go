// Package markup reads XML files that describe robots: elements with their places, numbers within limits, and a list of
// what no reader used.
//
//	r := markup.Reader{File: "robot.urdf"}
//	top, err := r.Parse(data, nil)
//	link := r.Child(top, "link")          // marked as used
//	skipped := markup.Unused(top)
//
// A file has at most 100,000 elements, nested at most [MaxDepth] deep.
package markup
