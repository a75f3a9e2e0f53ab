// Package worlds loads world files: strict TOML that becomes the Config types of other packages. It contains the
// worlds, robot models and fields that ship with the program, and resolves references between files.
//
// An error lists all problems of a file at once. Each problem has file:line:column, the key, the value and the rule.
// Values in a file have the units that their keys name; values in Go are in SI units and radians.
//
//	world, err := worlds.Load("nubot-attack") // or a path
//	if err != nil {
//		fmt.Println(err) // w.toml:14:9: robot[0].sensor[1]: rate_hz = -10: must lie in (0, 1000]
//	}
//	model := world.Model()
package worlds
