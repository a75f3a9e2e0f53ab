// Package world is one robot's world model: its own pose, the ball, other robots, and the state of the game. Its only
// inputs are the messages of the robot's camera and the radio messages of its teammates.
//
//	m := world.NewModel()
//	w := m.Update(perception) // for each frame
//
// A frame shows the field when it was captured. A World describes the field when the frame's message arrives, so the
// model predicts all states over the latency.
//
// RadioMessage is what robots of a team tell each other: about a hundred bytes, about fifteen times a second.
//
// Places are in the team's field frame of package pitch: m, m/s, rad. The model reads no clock and draws no random
// numbers: the same messages give the same World.
package world
