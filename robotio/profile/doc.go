// Package profile reads profiles: what a robot's software expects on the wire, as data. A profile says which topics
// and services there are, of which message types, in which units, what each field holds (package template has the
// words of it), and at which levels of which sensors a topic is fed. Profiles ship with the program; a team writes its
// own in TOML, with its .msg and .srv files beside it.
//
// It does not know which quantities there are, and sends nothing: package robotio does.
//
//	p, err := profile.Load("nubot")               // or a path
//	def, err := p.Library.Message(p.Publish[0].Type)
package profile
