package recorder

import (
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// Libraries with the message definitions of the package omnipitch_msgs, and with those of ROS 2.
var (
	definitions     = sync.OnceValues(func() (*msg.Library, error) { return msg.Load("std") })
	ros2Definitions = sync.OnceValues(func() (*msg.Library, error) { return msg.LoadROS2("jazzy") })
)

// codec returns the codec of a message type of omnipitch_msgs in ROS 1 or ROS 2.
func codec[T any](typ string, ros2 bool) (*msg.Codec[T], error) {
	lib, err := definitions()
	if err != nil {
		return nil, err
	}
	def, err := lib.Message(typ)
	if err == nil && ros2 {
		if lib, err = ros2Definitions(); err == nil {
			def, err = lib.FromROS1(def)
		}
	}
	if err != nil {
		return nil, err
	}
	return msg.Compile[T](def)
}

// Decoder decodes the messages of a topic that a Recorder has written. Their type belongs to omnipitch_msgs.
type Decoder[T any] struct {
	ros1 *msg.Codec[T]
	ros2 func() (*msg.Codec[T], error)
}

// NewDecoder returns a Decoder for a message type of omnipitch_msgs.
func NewDecoder[T any](typ string) (*Decoder[T], error) {
	ros1, err := codec[T](typ, false)
	return &Decoder[T]{ros1, sync.OnceValues(func() (*msg.Codec[T], error) { return codec[T](typ, true) })}, err
}

// Decode decodes a message into x, as msg.Codec.Decode does.
func (d *Decoder[T]) Decode(m recording.Message, x *T) error {
	if m.Channel.Encoding != recording.ROS2Encoding {
		return d.ros1.Decode(m.Data, x)
	}
	ros2, err := d.ros2()
	if err != nil {
		return err
	}
	return ros2.Decode(m.Data, x)
}

// output is a topic of a recording. Its message type belongs to omnipitch_msgs.
type output[T any] struct {
	codec   *msg.Codec[T]
	channel *recording.Channel
	buf     []byte
	message T // the memory is used again for each message
}

// open adds the topic to a recording.
func (o *output[T]) open(w *recording.Writer, topic, typ string) error {
	var err error
	if o.codec, err = codec[T](typ, w.ROS2()); err != nil {
		return err
	}
	def := o.codec.Def()
	if w.ROS2() {
		o.channel, err = w.ROSChannel(topic, def, "", false)
		return err
	}
	o.channel, err = w.Channel(topic, recording.Schema{Name: def.Name, Text: def.Text},
		map[string]string{"md5sum": def.MD5})
	return err
}

// write writes the field message to the recording. Only one goroutine at a time may call it.
func (o *output[T]) write(logTime, publishTime time.Duration) {
	o.buf = o.codec.Append(o.buf[:0], &o.message)
	o.channel.Write(logTime, publishTime, o.buf)
}

// Names of topics that every recording has.
const (
	Episodes  = "/omnipitch/episodes"
	Commands  = "/omnipitch/commands"
	Inputs    = "/omnipitch/inputs"
	Truth     = "/omnipitch/truth"
	Touches   = "/omnipitch/touches"
	Levels    = "/omnipitch/levels"
	Game      = "/omnipitch/game"
	Verdicts  = "/omnipitch/verdicts"
	Decisions = "/omnipitch/decisions"
	Hashes    = "/omnipitch/hashes" // hashes of the states of steps without exact states
	Switches  = "/omnipitch/recording"
)

// Names of topics that only a recording with exact states has.
const (
	States    = "/omnipitch/states"
	KeyFrames = "/omnipitch/key_frames"
)

// Keys of the metadata of a recording. The attachments of a recording are the files of the world, as worlds.Bundle
// returns them.
const (
	Version        = "version"
	Seed           = "seed"
	WorldName      = "world"
	Referee        = "referee" // referee of the world; missing if it is off
	Machine        = "machine" // processor architecture and operating system: equal machines compute equal states
	Renderer       = "renderer"
	InstructionSet = "instruction_set"
	Begun          = "begun" // BegunLate if the recording began during the run; else missing
)

// BegunLate is the value of the key Begun in a recording that began during the run. Such a recording lacks the inputs
// before its first key frame.
const BegunLate = "late"
