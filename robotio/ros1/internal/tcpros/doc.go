// Package tcpros implements TCPROS, ROS 1's transport for topics and services: connection headers, messages with their
// lengths, and SubscriberLink, the publisher's side of a connection with its queue.
//
// It knows nothing about nodes, the master and message types.
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
// Many goroutines may use links, sequencers and pools.
//
// Source: the ROS 1 wiki, TCPROS. Where it is incomplete: rospy and roscpp 1.15.
package tcpros
