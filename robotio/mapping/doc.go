// Package mapping reads profiles, which say as data what a robot's software expects on the wire, and compiles them: which topics and
// services there are, of which message types and in which units, and what each field of a message holds. No Go type stands for a message,
// so a team's own messages work as ours do. Profiles ship with the program (folder profiles); a team writes its own in TOML, with its .msg
// and .srv files beside it.
//
// It sends nothing: package robotio does.
//
// The table of a message has the shape of the message. Of a field it says
//
//	x = "ball.x"                            a simulation field, converted to the profile's units
//	frame_id = "{robot}/base_link"          of a string: text with simulation fields in braces
//	ballinfostate = 1                       a number or a truth value that stays
//	color = { of = "team", is = { cyan = 3, magenta = 2 }, else = 1 }
//	pos = { x = "ball.x", y = "ball.y" }    the fields of a nested message
//	pos = { each = "obstacles", x = "x" }   an array: once for every member of a list
//	pos = [{ x = 1 }, { x = "ball.x" }]     an array: one after the other
//
// Fields that it leaves out are zero, but for headers: each gets the stamp of the observation, and the frame.
//
// Filling allocates only to grow the buffer. A Template and a Picker may be used by many goroutines; the context that fields are read from
// belongs to one.
//
//	p, err := Load("nubot")               // or a path
//	def, err := p.Library.Message(p.Publish[0].Type)
package mapping
