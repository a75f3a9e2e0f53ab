// Package player serves the network protocol of Player 3, the robot server of the Player/Stage project. Robots'
// programs that use libplayerc, or another client library, drive the robots of a simulation and read their sensors.
//
// Each robot has its own TCP port, as if it ran its own Player server: the first robot of the world has the port in
// Config.Addr, and the others have the ports after it. The devices of a robot are its sensors and actuators, and the
// simulation. The name of a device's driver is the name of its sensor. Each interface of Player is one file of this
// package and one row of the table interfaces.
//
// A message is a header of 40 bytes and a payload, both in XDR (RFC 4506). Time stamps are sim time, in seconds. Angles
// are radians, and lengths are metres, in the axes of REP 103, which Player shares. A client receives the data of the
// devices that it has opened. If it reads too slowly, its queue drops the oldest data. The simulation never waits for
// it.
//
//	server, err := player.Listen(sim, player.Config{Addr: "127.0.0.1:6665"}) // before the first step
//	defer server.Close()
//
// Source: playerproject/player: libplayerinterface (player.h, interfaces/*.def), playerxdrgen.py, libplayertcp.
package player
