// Package action defines the actions that users can make happen in a running world. Each type, in its own file, has its
// fields, their rules, and the code that carries it out. Events of world files, messages of robots and Go programs all
// use these types; there is no other way to change a simulation.
//
//	[[event]]
//	at_s = 8
//	place = { name = "ball", x_m = 1 }            # in a world file
//
//	do.drive = { vx = "Vx", vy = "Vy" }            # in a profile: from a message's fields
//
//	sim.Do(&action.Place{Name: "ball", X: 1})     // in Go
//
// To add an action, write its file and add a row to [Choice].
//
// Units are SI and radians in Go; a TOML key names its unit, as in vx_m_s. Poses are in the world frame W unless the
// field says otherwise.
package action
