// Package role is how robots play while the ball is in play: one file for each role, and who has which (assign.go). A
// role is a function of the world model that returns the command for this frame.
//
// Each robot finds its role by what its mates have told, of those that it hears, and by what it sees of the others: of
// robots that hear each other one attacks; two that only see each other may for a moment both believe to.
package role
