// Package radio carries what robots of a team tell each other: a message is on the air for as long as its size takes,
// reaches each mate that is in range unless it is lost, and takes a delay with jitter to do so. It knows no wire, and
// does not look into messages.
//
//	n := radio.New(seed, stations)
//	n.Send(0, radio.Message{Topic: "", Data: data}, truth) // by the first robot
//	n.Deliver(truth.Time, func(to int, m *radio.Message) { … })
//
// What becomes of a message follows from the seed, the robots' names and places, and the numbers of a robot's messages:
// a robot that joins changes nothing for the others. Each robot has the air for itself: messages of two robots do not
// collide. Times are sim time, distances metres. One goroutine at a time uses a Network.
package radio
