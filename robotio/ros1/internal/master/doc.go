// Package master is a ROS 1 master in Go: it registers names, serves parameters, and notifies nodes of changes. With
// it, robot software runs without roscore.
//
// A dead or stopped node does not delay the master, because each process has its own queue of callbacks. The master
// does not log failed callbacks: nodes detect lost peers themselves.
//
//	m, err := master.Listen(master.Config{Addr: "127.0.0.1:11311"})
//	defer m.Close()
//	fmt.Println(m.URI()) // what peers need in ROS_MASTER_URI
//
// Many goroutines may use a Master.
//
// Source: the ROS 1 wiki, Master API and Parameter Server API. Where these are incomplete: the behaviour of rosmaster
// 1.15.
package master
