// Package schema binds TOML files strictly to Go structs and checks Go structs by the same rules: a key's name, unit,
// range and choices stand once, in the struct tag of the field that holds it.
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
//	toml:"fov_deg"         the key; no key: not ours; ",inline": the fields of this struct, or of the struct
//	                       that this interface points to, stand in the table itself, as those of embedded structs do;
//	                       "pose,outer": a key that the struct around this one has, for messages alone
//	range:"(0, 360)"       interval in the key's unit, [ ] closed, ( ) open, inf allowed; holds for each element
//	oneof:"ode|planar"     the choices of a string, or of each string of an array
//	match:"name"           a letter, then letters, digits, _ or -, at most 64; on a map, a rule for its keys
//	minlen:"1"             elements of an array or map, characters of a string
//	maxlen:"100"           elements of an array; those beyond are not looked at
//	required:"true"        the key must stand in a file, unless the field has a value already
//	merge:"name"           on a slice of structs: an element whose name is known overrides that element's keys
//	fixed:"true"           takes no distribution: the value is the same with every seed
//	was:"fov|angle"        the key's old names: errors that name the new one
//	doc:"..."              one line for [Describe]
//
// Units: the field holds SI units, radians or a [time.Duration], and the end of the key names the unit of the file
// (fov_deg, rate_hz, latency_ms, rim_radius_mm); the conversion happens here and only here. Messages and ranges are in
// the key's unit.
//
// Fields may be bool, string, integers, floats, time.Duration, structs, pointers, slices, fixed arrays, map[string]T,
// any, and types with a [Binder], a [Preparer] or a [Chooser] hook. NaN is never accepted, infinity only where a range
// includes it.
//
// [File.Expand] writes out templates before a file is bound: tables of arrays that have for_each, and {names} in texts,
// whose values for_each and vars give.
//
// After [File.Draw] a value may be a distribution, { uniform = [least, most] }, { normal = [mean, deviation] } or {
// choice = [a, b], weights = [2, 1] }: a number in the key's unit, or one of several values of any type. All that can
// be drawn is judged by the key's rules, and normal numbers are drawn until they keep them.
//
// Package encode writes such TOML; comments are not kept. Wrong data gives errors, all of them at once; wrong tags
// panic. Positions count lines and characters from 1 and show the key, or the element of an array. A File may be bound
// by one goroutine at a time.
package schema
