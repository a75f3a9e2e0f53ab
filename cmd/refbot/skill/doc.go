// Package skill is what a robot can do: drive to a place around others, fetch the ball, carry it, pass, shoot, and
// block. Each skill is a function of the world model that returns the command for this frame; none remembers anything.
//
//	c := skill.GoTo(w, skill.Goal{Pos: place, Heading: 0})
//
// Places are in the team's field frame of package pitch; commands are, too, until Message turns them into the robot's
// own axes.
package skill
