// Package tcpros is the transport of ROS 1's topics and services over TCP: connection headers, messages with their
// length, and the publisher's side of a connection, a SubscriberLink, with its queue.
//
// It knows no node, no master and no types of messages.
//
//	theirs, err := tcpros.Handshake(conn, r, tcpros.Header{"topic": "/scan", "md5sum": "*", …})
//	buf, err = tcpros.ReadBlock(r, buf, limit)
//
//	link := tcpros.NewSubscriberLink(id, "/scan", theirs["callerid"], conn, depth)
//	go link.Run()
//	m := pool.Get()
//	m.Head = append(m.Head, encoded...)
//	drop := link.Send(m)
//
// Links, sequencers and pools are safe for use by many goroutines.
//
// Source: the ROS 1 wiki, TCPROS; where it is silent, rospy and roscpp 1.15.
package tcpros
