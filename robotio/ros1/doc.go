// Package ros1 implements ROS 1 in Go: a master, and nodes that publish, subscribe, serve and call over TCPROS. They
// also serve actions to actionlib's clients, and send goals to its servers.
// Unchanged robot software connects to the simulator as it does to a robot. No ROS installation is needed.
//
// The package knows nothing about the simulation: no units, no frames, no clock. The caller stamps messages and sets
// use_sim_time. UDPROS is not supported.
//
//	m, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:11311"})
//	n, err := ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: m.URI()})
//	pub, err := ros1.Advertise[msg.OdoInfo](n, "/cyan1/odoinfo", "nubot_common/OdoInfo", ros1.PubOptions{Queue: 10})
//	sub, err := ros1.Subscribe(n, "/cyan1/nubotcontrol/velcmd", "nubot_common/VelCmd", func(m *msg.VelCmd) { … })
//	srv, err := ros1.Serve(n, "/cyan1/Shoot", "nubot_common/Shoot",
//		func(ctx context.Context, r *msg.ShootRequest) (*msg.ShootResponse, error) { … })
//	act, err := ros1.ServeAction(n, "/cyan1/kick", "humanoid_league_msgs/KickAction", ros1.WallTime,
//		func(ctx context.Context, g *KickGoal, feedback func(*KickFeedback)) (*KickResult, error) { … })
//	pub.Publish(&msg.OdoInfo{Vx: 100, PowerState: true})
//	err = n.Close()
//
// Publishing never blocks. Each subscriber has its own queue, which drops the oldest message when it is full. So a slow
// or stopped subscriber does not affect others, and receives the newest messages when it continues.
//
// Subscribers of the same topic in one node share one registration and one connection to each publisher, and must have
// the same type. If there are several, each has its own queue.
//
// Many goroutines may use everything in this package. Callbacks of one subscriber run one after the other. Callbacks of
// different subscribers and services run concurrently. Node.Close waits for callbacks, so a callback must not close its
// own node.
//
// SubscribeRaw, AdvertiseRaw, CallRaw and ServeRaw use encoded messages, so the program need not know their types.
// Package dynamic converts such messages.
//
// All sockets listen on loopback unless a host is configured. Lengths, counts and times that peers control are bounded.
// When there are too many connections, the oldest one without a header is closed.
//
// A node recovers from failures: it registers again when the master restarts, reconnects to publishers, and detects
// unreachable peers within seconds.
//
// Source: the ROS 1 wiki: TCPROS, Slave API, Master API. Where these are incomplete: rospy and roscpp 1.15. Actions:
// actionlib 1.14.
package ros1
