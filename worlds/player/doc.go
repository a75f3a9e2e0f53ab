// Package player provides scripted players: behaviours that move a robot without a program. Each type, in its own file,
// has its fields, their rules, and the code that plays. World files give players to robots, and the action play does so
// at any time.
//
//	[[robot]]
//	name = "magenta2"
//	model = "nubot"
//	player = { mark = { robot = "cyan2" } }
//
// Each step begins with a call to the player. It reads ground truth and writes its robot's command. The limits of the
// robot's drive apply as for a program's command, so a player can do nothing that a program could not. Its decisions
// depend on snapshots alone, so runs repeat. A player plans no game and knows no rules of play: it goes around
// obstructions, and brakes before it touches anything.
//
// Players use no sensors and take no part in speed lockstep. A robot's own program takes precedence: see commands in
// the root package.
//
// To add a player, write its file and add a row to [Choice].
//
// Units are SI and radians in Go; a TOML key names its unit. Poses and points are in the world frame W. A Player
// belongs to the goroutine that steps, and allocates nothing once it has started.
package player
