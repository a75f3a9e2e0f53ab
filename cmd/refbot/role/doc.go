// Package role is how robots play while the ball is in play: one file for each role, and who has which (assign.go). A role is a function of the world
// model that returns the command for this frame.
//
// Robots do not talk: each finds its role by what it sees of its mates, so that two may for a moment believe to have the same.
package role
