// Package web serves WebSocket clients of the ROS graph: browsers, dashboards and scripts. It contains the common parts
// of the rosbridge and Foxglove servers: access control, limits, queues, and shared subscriptions.
//
// It knows no protocol; a Session handles a client's messages.
//
//	s, err := web.Listen(web.Config{Name: "echo", Addr: "127.0.0.1:9090"}, func(c *web.Client) web.Session {
//		return echo{c} })
//	func (e echo) Message(binary bool, b []byte) { e.c.Send(binary, b) }
//	func (e echo) Close() {}
//	err = s.Close()
//
// All clients share one subscription of a topic, and a message is encoded as JSON, CBOR or PNG once. Each client has
// its own queue for each topic, which drops its oldest message when full. So a slow client loses only its own messages
// and delays no other. A client that sends too much or garbage gets an error, is slowed down, or is closed, without
// effect on others.
//
// The server listens on loopback by default. Package access decides which pages may connect.
//
// All functions are safe for use by many goroutines. The methods of a Session are called one at a time, by the
// goroutine that reads from the client.
//
// Source: RFC 6455.
package web
