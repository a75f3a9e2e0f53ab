// Package mapping reads profiles and compiles them. A profile is a TOML file that says what a robot's software expects
// on ROS 1: which topics and services there are, of which message types and in which units, what fills the fields of
// messages that are sent, and which actions messages that come in cause. No Go type stands for a message, so a team's
// own messages need no Go. Package robotio sends and receives.
//
// A topic's name is the key topic of an entry in profiles/NAME.toml; func instance puts the robot's namespace before
// it.
//
// To write a profile, begin with `omnipitch ros profiles nubot` and docs/profiles.md, which lists all keys, quantities
// and actions; a world file names it by its path:
//
//	[[robot]]
//	ros1 = { profiles = ["./myteam.toml"] }
//
// To ship it, put it into the folder profiles. To add a quantity, add a line to the file quantities_….go that it
// belongs to. To add an action, see package worlds/action: profiles have its fields as they are.
//
// A message has the shape of its definition. Of a field it says
//
//	x = "ball.x"                            a quantity, converted to the profile's units
//	frame_id = "{robot}/base_link"          of a string: text with quantities in braces
//	ballinfostate = 1                       a constant
//	color = { of = "team", is = { cyan = 3, magenta = 2 }, else = 1 }
//	pos = { x = "ball.x", y = "ball.y" }    the fields of a nested message
//	pos = { each = "obstacles", x = "x" }   an array: one element for every member of a list
//	pos = [{ x = 1 }, { x = "ball.x" }]     an array: its elements
//
// Fields that it leaves out are zero, but headers have the stamp of the observation, and the frame.
//
// Quantities are in SI, radians and REP 103 inside; units are converted once, where a field is filled or read. What is
// compiled may be used by many goroutines, a Context by one at a time.
//
//	p, err := mapping.Load("nubot")               // or a path
//	c, err := mapping.Compile(p)
//	for _, i := range mapping.Instances(c.Publications, c.NewContext(world, 0)) {
//		fmt.Println(i.Name, i.Type)
//	}
package mapping
