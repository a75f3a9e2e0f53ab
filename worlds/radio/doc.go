// Package radio carries the messages that robots of a team send each other. Sending a message takes a time that depends
// on the size of the message. The message then reaches each teammate in range after a delay with jitter, unless it is
// lost. The package does not depend on any network protocol, and does not inspect messages.
//
//	n := radio.New(seed, stations)
//	n.Send(0, radio.Message{Topic: "", Data: data}, truth) // by the first robot
//	n.Deliver(truth.Time, func(to int, m *radio.Message) { … })
//
// What happens to a message depends on the seed, the robots' names and positions, and the running number of the message
// among those of its sender. A robot that is added therefore changes nothing for the other robots. Each robot has its
// own channel: messages of two robots do not collide. Times are sim time, and distances are in m. Only one goroutine at
// a time may use a Network.
package radio
