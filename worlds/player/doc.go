// Package player holds scripted players: behaviours that move a robot without a program. There is one type per
// behaviour, in a file of its own, with its fields, their rules, and how it plays. World files give them to robots, and
// the action play at any time.
//
//	[[robot]]
//	name = "magenta2"
//	model = "nubot"
//	player = { mark = { robot = "cyan2" } }
//
// A player is asked once before each step. It reads ground truth and writes its robot's command, which obeys the limits
// of the robot's drive as a program's command does: it cannot do what a program could not. Its decisions depend on
// snapshots alone, so that runs repeat. It plans no game: it goes round what stands in its way, brakes before it
// touches anything, and knows no rules of play.
//
// Players do not look at sensors and take no part in speed lockstep. A robot's own program always comes first: see the
// root package's commands.
//
// To add one, write its file and its row in [Choice].
//
// Units are SI and radians in Go; a TOML key names its unit. Poses and points are in the world frame W. A Player
// belongs to the goroutine that steps, and allocates nothing once it has started.
package player
