// Package web serves WebSocket clients of the ROS graph: browsers, dashboards and scripts. It holds what the rosbridge
// and the Foxglove server have in common: access, limits, queues, and subscriptions that clients share.
//
// It knows no protocol; a client's messages go to a Session.
//
//	s, err := web.Listen(web.Config{Name: "echo", Addr: "127.0.0.1:9090"}, func(c *web.Client) web.Session { return echo{c} })
//	func (e echo) Message(binary bool, b []byte) { e.c.Send(binary, b) }
//	func (e echo) Close() {}
//	err = s.Close()
//
// A topic is subscribed to once, however many clients want it, and a message is turned into JSON, CBOR or PNG once.
// Each client has a queue of its own per topic that drops its oldest message when full: a slow client loses its own
// messages and delays no other. A client that sends too much, too often, or garbage is answered, slowed down or closed,
// without effect on others.
//
// The server listens on loopback unless told otherwise. Package access decides which pages may connect.
//
// Everything is safe for use by many goroutines. A Session's methods are called one at a time, from the goroutine that
// reads from its client.
//
// Source: RFC 6455.
package web
