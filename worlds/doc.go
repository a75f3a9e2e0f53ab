// Package worlds loads world files: TOML, read strictly, into the Config types of the packages that use them. It
// knows which worlds, robot models and fields ship with the program, and how files refer to each other.
//
// Everything wrong with a file is reported at once, each with file:line:column, the key, the value and the rule. The
// units are those of the keys' names in a file, SI and radians in the Go values.
//
//	world, err := worlds.Load("nubot-attack") // or a path
//	if err != nil {
//		fmt.Println(err) // w.toml:14:9: robot[0].sensor[1]: rate_hz = -10: must lie in (0, 1000]
//	}
//	model := world.Model()
package worlds
