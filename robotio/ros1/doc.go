// Package ros1 speaks ROS 1: an embedded master, and nodes that publish, subscribe, serve and call over TCPROS,
// so that unchanged robot software meets the simulator as it meets a robot. It needs no ROS installation.
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
// Publishing never waits. Every subscriber has a queue of its own that drops its oldest message when full, so a
// slow or stopped subscriber costs nobody else anything and finds the newest message when it wakes.
//
// Everything is safe for use by many goroutines. Callbacks of one subscriber run one after the other, those of
// different subscribers and services at the same time. Node.Close waits for callbacks, so none may close its own node.
//
// SubscribeRaw, AdvertiseRaw, CallRaw and ServeRaw do the same with encoded messages of types that the program does not
// know; package dynamic looks into those.
//
// All sockets listen on loopback unless a host is given. Lengths, counts and times that peers control are bounded, and
// a connection that has not said what it wants makes room for others.
//
// What breaks comes back by itself: a node registers again with a master that was started anew, follows publishers that
// come back, and notices within seconds who is out of reach.
//
// Source: the ROS 1 wiki, TCPROS, Slave API and Master API; where they are silent, rospy and roscpp 1.15.
package ros1
