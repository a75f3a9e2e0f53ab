// Package master is an embedded ROS 1 master: name registration, parameter server and the callbacks to
// nodes, so that unchanged robot software runs without a roscore.
//
// A dead or stopped node never delays the master: callbacks wait in a queue per process. The master logs nothing about
// nodes that die; nodes notice by themselves.
//
//	m, err := master.Listen(master.Config{Addr: "127.0.0.1:11311"})
//	defer m.Close()
//	fmt.Println(m.URI()) // what peers need in ROS_MASTER_URI
//
// A Master is safe for use by many goroutines.
//
// Source: the ROS 1 wiki, Master API and Parameter Server API; where they are silent, the behaviour of
// rosmaster 1.15.
package master
