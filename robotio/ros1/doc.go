// Package ros1 speaks ROS 1: an embedded master, and nodes that publish, subscribe, serve and call over TCPROS, so that
// unchanged robot software connects to the simulator as to a robot. It needs no ROS installation.
//
// It does not know what the simulator does: no units, no frames, no clock. The caller stamps messages and sets
// use_sim_time. It offers no UDPROS.
//
//	m, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:11311"})
//	n, err := ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: m.URI()})
//	pub, err := ros1.Advertise[msg.OdoInfo](n, "/cyan1/nubotdriver/odoinfo", "nubot_common/OdoInfo", ros1.PubOptions{Queue: 10})
//	sub, err := ros1.Subscribe(n, "/cyan1/nubotcontrol/velcmd", "nubot_common/VelCmd", func(m *msg.VelCmd) { … })
//	srv, err := ros1.Serve(n, "/cyan1/Shoot", "nubot_common/Shoot",
//		func(ctx context.Context, r *msg.ShootRequest) (*msg.ShootResponse, error) { … })
//	pub.Publish(&msg.OdoInfo{Vx: 100, PowerState: true})
//	err = n.Close()
//
// Publishing never waits. Every subscriber has a queue of its own that drops its oldest message when full, so a slow or
// stopped subscriber costs the others nothing and gets the newest message when it goes on.
//
// Subscribers of one topic in one node share one registration and one connection to each publisher, and have one type.
// Where there are several, each has a queue of its own, too.
//
// Everything is safe for use by many goroutines. Callbacks of one subscriber run one after the other, those of
// different subscribers and services at the same time. Node.Close waits for callbacks, so none may close its own node.
//
// SubscribeRaw, AdvertiseRaw, CallRaw and ServeRaw do the same with encoded messages of types that the program does not
// know; package dynamic converts those.
//
// All sockets listen on loopback unless a host is given. Lengths, counts and times that peers control are bounded, and
// a connection without a header makes room for others.
//
// A node recovers by itself: it registers again with a restarted master, reconnects to publishers, and notices within
// seconds which peers are out of reach.
//
// Source: the ROS 1 wiki, TCPROS, Slave API and Master API; where they are silent, rospy and roscpp 1.15.
package ros1
