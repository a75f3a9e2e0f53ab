// Package rules judges Go structs by the tags of their fields: each field's range, choices and unit stand once, beside
// it. What a broken rule is called in a file, and where it stands there, is for those who read files: worlds/schema
// says which tags there are.
//
//	type Camera struct {
//		Fov float64 `toml:"fov_deg" range:"(0, 360)"` // radians
//	}
//	err := rules.Check(&Camera{Fov: -0.1}) // Fov = -0.1: must lie in (0, 360) deg
package rules
