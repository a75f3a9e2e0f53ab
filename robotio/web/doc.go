// Package web serves WebSocket clients of the ROS graph: browsers, dashboards and scripts. It holds what the rosbridge
// and the Foxglove server have in common: who may connect, limits, queues, and subscriptions that clients share.
//
// It knows no protocol; what a client says goes to a Session.
//
//	s, err := web.Listen(web.Config{Name: "echo", Addr: "127.0.0.1:9090"}, func(c *web.Client) web.Session { return echo{c} })
//	func (e echo) Message(binary bool, b []byte) { e.c.Send(binary, b) }
//	func (e echo) Close() {}
//	err = s.Close()
//
// A topic is subscribed to once, however many clients want it, and a message is turned into JSON, CBOR or PNG once. Each
// client has a queue of its own per topic that drops its oldest message when full: a slow client loses its own messages
// and delays nobody. A client that sends too much, too often, or garbage is answered, slowed down or closed, alone.
//
// The server listens on loopback unless told otherwise. Which pages may connect, package access says.
//
// Everything is safe for use by many goroutines. A Session's methods are called one at a time, from the goroutine that
// reads from its client.
//
// Source: RFC 6455.
package web
