// Package radio carries the messages that robots of a team send each other. A message is on the air for as long as its
// size takes. It reaches each teammate in range unless it is lost, after a delay with jitter. The package knows no
// wire, and does not inspect messages.
//
//	n := radio.New(seed, stations)
//	n.Send(0, radio.Message{Topic: "", Data: data}, truth) // by the first robot
//	n.Deliver(truth.Time, func(to int, m *radio.Message) { … })
//
// The fate of a message follows from the seed, the robots' names and positions, and the running number of the robot's
// messages. A robot that joins therefore changes nothing for the others. Each robot has its own channel: messages of
// two robots do not collide. Times are sim time, distances metres. A Network belongs to one goroutine at a time.
package radio
