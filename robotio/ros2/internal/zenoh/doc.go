// Package zenoh implements the part of Zenoh 1.x over TCP that ROS 2 nodes need of a client: a session with a router,
// publications, also such that keep their last samples, subscribers, queries and queryables, and liveliness tokens.
//
// The package knows neither messages nor nodes: payloads and attachments are opaque bytes. A session's publications do
// not reach its own subscribers. There is no scouting, no peer-to-peer mode, no shared memory, no compression and no
// security: the router sees everything and can change it.
//
//	s, err := zenoh.Open(zenoh.Config{Router: "127.0.0.1:7447"})
//	s.Subscribe("0/chatter/**", func(m zenoh.Sample) { … })
//	err = s.Put("0/chatter", payload, zenoh.Options{Attachment: attachment})
//	s.Close()
//
// The session connects again when the router restarts, and then repeats its declarations. All that it keeps for the
// router is bounded. Any goroutine may call methods, and no method waits for the network. Callbacks run one after the
// other on one goroutine. They may call methods, but not Session.Close.
//
// Source: the crates zenoh-protocol and zenoh-codec 1.5.0 of Eclipse Zenoh; protocol version 9.
package zenoh
