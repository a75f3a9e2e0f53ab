// Package template fills ROS messages from named quantities and reads fields of messages by their names, by plans that
// are compiled once from a message definition and from what a profile says: no Go type stands for the message, so a
// team's own messages work as ours do.
//
// A mapping has the shape of its message. Of a field it says
//
//	x = "ball.x"                            a quantity, converted to the profile's units
//	frame_id = "{robot}/base_link"          of a string: text with quantities in braces
//	ballinfostate = 1                       a number or a truth value that stays
//	color = { of = "team", is = { cyan = 3, magenta = 2 }, else = 1 }
//	pos = { x = "ball.x", y = "ball.y" }    the fields of a nested message
//	pos = { each = "obstacles", x = "x" }   an array: once for every member of a list
//	pos = [{ x = 1 }, { x = "ball.x" }]     an array: one after the other
//
// Fields that it leaves out are zero, but for headers: each gets the stamp of the observation, and the frame.
//
// Which quantities there are is the caller's: Words. Filling allocates only to grow the buffer. A Template and a Picker
// may be used by many goroutines; the scene that words look at belongs to one.
package template
