// Package rules judges Go structs by the tags of their fields. A tag next to a field states its range, choices and unit
// once. Package worlds/schema lists the tags, and says where in a file a rule is broken.
//
//	type Camera struct {
//		Fov float64 `toml:"fov_deg" range:"(0, 360)"` // radians
//	}
//	err := rules.Check(&Camera{Fov: -0.1}) // Fov = -0.1: must lie in (0, 360) deg
package rules
