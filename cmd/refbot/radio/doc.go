// Package radio is what robots of a team tell each other: a message of some hundred bytes, some fifteen times a second.
// It knows bytes alone; what a robot makes of messages is in packages world and role.
//
//	data := message.Append(nil)
//	m, err := radio.Decode(data)
//
// All is in the team's field frame of package pitch: m, m/s, rad.
package radio
