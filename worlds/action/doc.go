// Package action holds what can be made to happen in a running world: one type per action, in a file of its own, with
// its fields, their rules, and how it is carried out. Events of world files, messages of robots and Go programs all
// name these types; there is no other way into the simulation.
//
//	[[event]]
//	at_s = 8
//	place = { name = "ball", x_m = 1 }            # in a world file
//
//	do.drive = { vx = "Vx", vy = "Vy" }            # in a profile: from a message's fields
//
//	sim.Do(&action.Place{Name: "ball", X: 1})     // in Go
//
// To add one, write its file and its row in [Choice].
//
// Units are SI and radians in Go; a TOML key names its unit, as in vx_m_s. Poses are in the world frame W unless the
// field says otherwise.
package action
