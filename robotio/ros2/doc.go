// Package ros2 implements nodes of ROS 2 in Go: they publish, subscribe, serve and call over DDS or over Zenoh.
// Unchanged robot software of Humble and all later distributions finds them, over Fast DDS and over CycloneDDS. No ROS
// installation is needed.
//
// The package knows nothing about the simulation: no units, no frames, no clock. A process has one Context, which is a
// participant of DDS or a session of Zenoh, and any number of nodes in it. Nodes of the same Context do not receive
// each other's messages.
//
//	c, err := ros2.Open(ros2.Config{Distribution: "jazzy"})
//	n, err := c.NewNode("/omnipitch")
//	pub, err := ros2.Advertise[msg.Odometry](n, "/cyan1/odom", "nav_msgs/Odometry", ros2.PubOptions{})
//	sub, err := ros2.Subscribe(n, "/cyan1/cmd_vel", "geometry_msgs/Twist", func(m *msg.Twist) { … })
//	srv, err := ros2.Serve(n, "~/reset", "std_srvs/Trigger",
//		func(ctx context.Context, r *msg.TriggerRequest) (*msg.TriggerResponse, error) { … })
//	pub.Publish(&msg.Odometry{ChildFrameID: "base_link"})
//	err = c.Close()
//
// ServeAction serves an action. Parameters, the log on /rosout and the graph are the node's methods DeclareParam,
// Logger and Graph. SubscribeRaw receives a topic whatever types and QoS its publishers have.
//
// Publishing never blocks. A subscriber that is slow loses its oldest messages.
//
// Many goroutines may use everything in this package. Callbacks of one subscriber run one after the other. Callbacks of
// different subscribers and of services run concurrently. Context.Close waits for callbacks, so a callback must not
// close its own context.
//
// The QoS of a topic follows the conventions of ROS 2, see PubOptions and SubscriptionQoS. Sockets receive nothing from
// other machines, unless Config.Range is Subnet. Everything that peers can make the process keep is bounded.
//
// Sources: rmw_fastrtps, rmw_cyclonedds, rmw_zenoh_cpp and rmw_dds_common of Humble and Jazzy; rclcpp, rcl_action.
package ros2
