package recorder

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/command"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/match"
)

// Values of the field kind in omnipitch_msgs/Input.
const (
	kindAction  = "action"
	kindWorld   = "world"
	kindMessage = "message"
	kindRadio   = "radio"
)

// inputs writes the external inputs of a run to the recording.
type inputs struct {
	commands output[msg.Command]
	others   output[msg.Input]
	number   uint64
	world    *worlds.World // the world of the recording
}

// write writes one input.
func (x *inputs) write(in *omnipitch.Input, at, now time.Duration) error {
	x.number++
	if in.Command != nil {
		EncodeCommand(in, x.number, &x.commands.message)
		x.commands.write(at, now)
		return nil
	}
	m, err := inputMessage(in, x.number, x.world)
	if err != nil {
		return fmt.Errorf("input of step %d: %w", in.Step, err)
	}
	x.others.message = m
	x.others.write(at, now)
	return nil
}

// inputMessage returns the message for an input that is not a command. number is the number of inputs before it, and
// recorded is the world of the recording.
func inputMessage(in *omnipitch.Input, number uint64, recorded *worlds.World) (m msg.Input, err error) {
	m = msg.Input{Number: number, Step: uint64(in.Step), Moment: uint8(in.Moment)}
	var data []byte
	switch {
	case in.Action != nil:
		m.Kind = kindAction
		m.Name, data, err = action.Marshal(in.Action)
	case in.World != nil:
		m.Kind, m.Name = kindWorld, in.World.Name
		if in.World != recorded {
			var files worlds.Bundle
			if files, err = mapping.Bundle(in.World); err == nil {
				data, err = json.Marshal(files)
			}
		}
	case in.Message != nil:
		m.Kind, m.Name = kindMessage, in.Message.Topic
		data, err = json.Marshal(encodeMessage(in.Message))
	case in.Radio != nil:
		m.Kind, m.Name = kindRadio, in.Radio.Robot
		data, err = json.Marshal(radioMessage{in.Radio.Topic, in.Radio.Data})
	}
	m.Data = string(data)
	return m, err
}

// EncodeCommand stores an input that is a command in the message m. number is the number of inputs before it.
func EncodeCommand(in *omnipitch.Input, number uint64, m *msg.Command) {
	c := &in.Command.Command
	*m = msg.Command{
		Number: number, Step: uint64(in.Step), Moment: uint8(in.Moment), Robot: in.Command.Robot,
		VX: c.TwistB.VX, VY: c.TwistB.VY, Omega: c.TwistB.Omega, Dribble: c.Dribble, Reach: c.Reach.Distance,
		ReachAngle: c.Reach.Angle,
		Kick:       uint8(c.Kick.Mode), KickSpeed: c.Kick.Speed, KickElevation: c.Kick.Elevation,
		KickFlight:   c.Kick.Flight,
		KickAbsolute: c.Kick.Absolute,
		KickReach:    c.Kick.Reach.Distance, KickReachAngle: c.Kick.Reach.Angle, Extend: uint8(c.Extend),
	}
}

// DecodeCommand returns the command that a message stores, as an input.
func DecodeCommand(m *msg.Command) *omnipitch.Input {
	return &omnipitch.Input{Step: int64(m.Step), Moment: omnipitch.Moment(m.Moment),
		Command: &command.Robot{Robot: m.Robot, Command: physics.Command{
			TwistB: physics.PlanarTwist{VX: m.VX, VY: m.VY, Omega: m.Omega}, Dribble: m.Dribble,
			Reach: physics.Reach{Distance: m.Reach, Angle: m.ReachAngle},
			Kick: physics.Kick{Mode: physics.KickMode(m.Kick), Speed: m.KickSpeed, Elevation: m.KickElevation,
				Flight: m.KickFlight, Absolute: m.KickAbsolute,
				Reach: physics.Reach{Distance: m.KickReach, Angle: m.KickReachAngle}},
			Extend: physics.ExtensionState(m.Extend),
		}}}
}

// DecodeInput returns the input that a message stores. recorded is the world of the recording that contains the
// message.
func DecodeInput(m *msg.Input, recorded *worlds.World) (in *omnipitch.Input, err error) {
	in = &omnipitch.Input{Step: int64(m.Step), Moment: omnipitch.Moment(m.Moment)}
	switch m.Kind {
	case kindAction:
		in.Action, err = action.Unmarshal(m.Name, []byte(m.Data))
	case kindWorld:
		if in.World = recorded; m.Data != "" {
			var files worlds.Bundle
			if err = json.Unmarshal([]byte(m.Data), &files); err == nil {
				in.World, err = worlds.LoadBundle(files)
			}
		}
	case kindMessage:
		in.Message, err = decodeMessage(m.Name, m.Data)
	case kindRadio:
		var data radioMessage
		err = json.Unmarshal([]byte(m.Data), &data)
		in.Radio = &match.Message{Robot: m.Name, Topic: data.Topic, Data: data.Data}
	default:
		err = fmt.Errorf("kind = %q: must be a kind of input", m.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("input %d of step %d: %w", m.Number, m.Step, err)
	}
	return in, nil
}

// radioMessage is the JSON form of a radio message between robots of a team. The data is in base64.
type radioMessage struct {
	Topic string `json:",omitempty"`
	Data  []byte
}

// topicMessage is the JSON form of a message on a topic that a condition of the world names. Its numbers are strings
// because JSON lacks NaN and infinity. Its texts are quoted because they may not be UTF-8.
type topicMessage struct {
	Subscription int
	Arrived      time.Duration
	Stamped      bool
	Stamp        time.Duration
	Values       []topicValue
}

type topicValue struct {
	Known, IsText bool
	Number, Text  string
}

func encodeMessage(m *omnipitch.TopicMessage) topicMessage {
	out := topicMessage{m.Subscription, m.Arrived, m.Stamped, m.Stamp, nil}
	for _, v := range m.Values {
		out.Values = append(out.Values, topicValue{v.Known, v.IsText, strconv.FormatUint(math.Float64bits(v.Number),
			16), strconv.QuoteToASCII(v.Text)})
	}
	return out
}

func decodeMessage(topic, data string) (*omnipitch.TopicMessage, error) {
	var in topicMessage
	if err := json.Unmarshal([]byte(data), &in); err != nil {
		return nil, err
	}
	m := &omnipitch.TopicMessage{Subscription: in.Subscription, Topic: topic,
		Message: condition.Message{Arrived: in.Arrived, Stamped: in.Stamped, Stamp: in.Stamp}}
	for _, v := range in.Values {
		bits, err := strconv.ParseUint(v.Number, 16, 64)
		if err != nil {
			return nil, err
		}
		text, err := strconv.Unquote(v.Text)
		if err != nil {
			return nil, err
		}
		m.Values = append(m.Values, condition.Value{Known: v.Known, IsText: v.IsText,
			Number: math.Float64frombits(bits), Text: text})
	}
	return m, nil
}
