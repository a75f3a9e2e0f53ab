// Package schema binds TOML files strictly to Go structs, and checks Go structs by the same rules. The struct tag of a
// field states a key's name, unit, range and choices once.
//
//	type Camera struct {
//		Name string        `toml:"name" required:"true" match:"name"`
//		Fov  float64       `toml:"fov_deg" range:"(0, 360)" doc:"horizontal field of view"` // radians
//		Lag  time.Duration `toml:"latency_ms" range:"[0, inf)"`
//	}
//	cfg := Camera{Fov: math.Pi / 2}                    // absent keys keep these defaults
//	f, err := schema.Parse("worlds/derby.toml", text)  // syntax and duplicates
//	err = f.Bind(&cfg)                                 // worlds/derby.toml:2:1: fov_deg = -10: must lie in (0, 360)
//	err = schema.Check(cfg)                            // the same rules for a Camera built in Go
//	err = f.Locate(cfg.Validate())                     // and a position for the rules that tags cannot say
//
// Tags, each on a field that has a toml key:
//
//	toml:"fov_deg"         the key; a field without one is ignored; ",inline": the keys of this struct, or of the
//	                       struct that this interface points to, are in the table itself, as for embedded structs;
//	                       "pose,outer": a key of the struct around this one, for messages alone
//	range:"(0, 360)"       interval in the key's unit, [ ] closed, ( ) open, inf allowed; applies to each element
//	oneof:"ode|planar"     the choices of a string, or of each string of an array
//	match:"name"           a letter, then letters, digits, _ or -, at most 64; on a map, a rule for its keys
//	minlen:"1"             elements of an array or map, characters of a string
//	maxlen:"100"           elements of an array; further ones are not judged
//	required:"true"        the file must give the key, unless the field has a value already
//	merge:"name"           on a slice of structs: an element with a known name overrides that element's keys
//	fixed:"true"           takes no distribution: the value is the same with every seed
//	was:"fov|angle"        the key's old names, for errors that name the new one
//	doc:"..."              one line for [Describe]
//
// The field holds SI units, radians or a [time.Duration], and the suffix of the key names the unit of the file
// (fov_deg, rate_hz, latency_ms, rim_radius_mm). Only this package converts between them. Messages and ranges are in
// the key's unit.
//
// Fields may be bool, string, integers, floats, time.Duration, structs, pointers, slices, fixed arrays, map[string]T,
// any, and types with a [Binder], a [Preparer] or a [Chooser] hook. NaN is never accepted, infinity only if a range
// includes it.
//
// [File.Expand] expands the templates in a file before the file is bound. Templates are tables in arrays that have the
// key for_each, and {names} in texts. The tables for_each and vars give the values of the names.
//
// After [File.Draw] a value may be a distribution: { uniform = [least, most] }, { normal = [mean, deviation] } or {
// choice = [a, b], weights = [2, 1] }. It gives a number in the key's unit, or one of several values of any type. The
// key's rules apply to everything that can be drawn. Normal numbers are drawn until they satisfy the rules.
//
// Package encode writes such TOML, without the comments of a file that was read. Wrong data gives errors, all of them
// at once; wrong tags cause a panic. Positions count lines and characters from 1. They point at the key, or at the
// element of an array. Only one goroutine at a time may bind a File.
package schema
