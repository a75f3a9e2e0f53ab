// Package player provides scripted players, which are behaviours that move a robot without a program. Each type of
// behaviour, in its own file, has its fields, their rules, and the code that plays. World files give players to robots
// at the start. The action play gives a player to a robot at any time.
//
//	[[robot]]
//	name = "magenta2"
//	model = "nubot"
//	player = { mark = { robot = "cyan2" } }
//
// Each step begins with a call to the player. The player reads ground truth and writes the command of its robot. The
// limits of the robot's drive apply to this command as they do to a program's command, so a player can do nothing that
// a program could not do. Its decisions depend only on snapshots, so runs can be repeated exactly. A player plans no
// game and knows no rules of play. It goes around obstructions, and brakes before it touches anything.
//
// Players use no sensors and take no part in speed lockstep. A robot's own program takes precedence: see commands in
// the root package.
//
// To add a player, write its file and add a row to [Choice].
//
// Units are SI and radians in Go; a TOML key names its unit. Poses and points are in the world frame W. Only the
// goroutine that steps may use a Player. A Player allocates nothing once it has started.
package player
