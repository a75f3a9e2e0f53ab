// Package mapping reads and compiles profiles. A profile is a TOML file that describes what a robot's software expects
// on ROS 1: the topics and services with their message types and units, the values of the fields of sent messages, and
// the actions that received messages cause. No Go type represents a message, so a team's own messages need no Go code.
// Package quantity computes the values of fields. Package robotio sends and receives the messages.
//
// The name of a topic is the value of the key "topic" of an entry in profiles/NAME.toml. Method Entry.instance adds the
// robot's namespace to it.
//
// To write a profile, start with `omnipitch ros profiles nubot` and docs/profiles.md, which lists all keys, quantities
// and actions. A world file names the profile by its path:
//
//	[[robot]]
//	ros1 = { profiles = ["./myteam.toml"] }
//
// A profile in the folder profiles ships with omnipitch. Profiles can use a new action of package worlds/action without
// changes here.
//
// A table message has the shape of the message's definition. The value of a field is one of these:
//
//	x = "ball.x"                            a quantity, converted to the profile's units
//	frame_id = "{robot}/base_link"          text with quantities in braces
//	ballinfostate = 1                       a constant
//	color = { of = "team", is = { cyan = 3, magenta = 2 }, else = 1 }
//	pos = { x = "ball.x", y = "ball.y" }    the fields of a nested message
//	pos = { each = "obstacles", x = "x" }   an array with one element for every member of a list
//	pos = [{ x = 1 }, { x = "ball.x" }]     an array with these elements
//
// Fields that are left out are zero, except headers, which get the stamp of the observation and the frame.
//
// Quantities are in SI units and radians, in axes that follow REP 103. They are converted to the profile's units when a
// field is filled or read. Many goroutines may use a Compiled.
//
//	p, err := mapping.Load("nubot")               // or a path
//	c, err := mapping.Compile(p)
//	for _, i := range mapping.Instances(c.Publications, c.NewContext(world, 0)) {
//		fmt.Println(i.Name, i.Type)
//	}
package mapping
