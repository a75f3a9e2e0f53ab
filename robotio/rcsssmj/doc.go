// Package rcsssmj serves the agent protocol of the MuJoCo-based server of RoboCup's 3D Simulation League, which is
// called rcssservermj (Python package rcsssmj). Agents of that league connect to a simulation and drive its humanoids.
//
// An agent is a TCP client. Each message is a length of four bytes, big-endian, and S-expressions in that many bytes.
// The agent's first message, (init MODEL TEAM NUMBER), selects a robot: the team that comes first is cyan, on the left,
// and the next one is magenta. From then on it gets a message with perceptors for each reading of the robot's joints,
// and answers with effectors. The simulation never waits for an agent, except at speed lockstep, when the world waits
// for its robot: then each message of the agent is an answer.
//
//	server, err := rcsssmj.Listen(sim, rcsssmj.Config{Addr: "127.0.0.1:60000"}) // before the first step
//	defer server.Close()
//
// Angles are in degrees, lengths in m, torques in N m. Positions in the world are in the map frame, as in the league: x
// from the left team's goal to the right team's.
//
// Sources: the documentation of rcssservermj and the messages of its version 0.2.1.
package rcsssmj
