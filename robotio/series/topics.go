package series

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// commandFields are the fields of omnipitch_msgs/Command that are numbers of a robot.
var commandFields = []struct{ name, unit string }{{"vx", "m/s"}, {"vy", "m/s"}, {"omega", "rad/s"}, {"dribble", ""},
	{"kick_speed", "m/s"}}

// findCommands lists the numbers of robots' commands.
func (f *File) findCommands() {
	if !f.has(recorder.Commands) {
		return
	}
	for i := range f.bodies {
		if f.bodies[i].kind&isRobot == 0 {
			continue
		}
		for _, c := range commandFields {
			f.numbers = append(f.numbers, Number{f.bodies[i].name + ".command." + c.name, c.unit, true})
		}
	}
}

// unlisted are topics whose numbers are of no use to users, so they are not listed.
var unlisted = []string{recorder.States, recorder.KeyFrames, recorder.Hashes, recorder.Inputs}

// maxListed is the maximum number of listed numbers of a topic. It is needed because lists may be nested.
const maxListed = 1000

// findFields lists the numbers of each topic's first message.
func (f *File) findFields() error {
	seen := map[string]bool{}
	for _, c := range f.Channels() {
		if seen[c.Topic] || slices.Contains(unlisted, c.Topic) {
			continue
		}
		codec, err := compile(c)
		if err != nil {
			continue // the type of the topic has no usable definition
		}
		seen[c.Topic] = true
		m, err := f.Messages(0, func(x *recording.ChannelInfo) bool { return x == c }).Next()
		if err == io.EOF {
			continue
		}
		if err != nil {
			return err
		}
		known := map[string]bool{}
		if err := codec.Values(m.Data, func(v *dynamic.Value) {
			name := c.Topic + "." + collapse(string(v.Path))
			if v.Text == nil && !known[name] && len(known) < maxListed {
				known[name] = true
				f.numbers = append(f.numbers, Number{Name: name})
			}
		}); err != nil {
			return fmt.Errorf("%s: topic %s: %w", f.path, c.Topic, err)
		}
	}
	return nil
}

// collapse replaces indices of list elements by i.
func collapse(path string) string {
	for rest := 0; ; {
		from := strings.IndexByte(path[rest:], '[')
		if from < 0 {
			return path
		}
		from += rest
		to := strings.IndexByte(path[from:], ']')
		if to < 0 {
			return path
		}
		path = path[:from] + "[i]" + path[from+to+1:]
		rest = from + len("[i]")
	}
}

func compile(c *recording.ChannelInfo) (*dynamic.Codec, error) {
	def, err := c.Definition()
	if err != nil {
		return nil, err
	}
	return dynamic.Compile(def)
}

// readTopics reads the series of commands and topics.
func (f *File) readTopics(all []*Series, from, to time.Duration) error {
	fields := map[string]map[string]*Series{} // series by topic and path; for commands, the path is ROBOT.FIELD
	for _, s := range all {
		topic, field, _ := strings.Cut(s.Name, ".")
		if robot, command, ok := strings.Cut(s.Name, ".command."); ok && !strings.HasPrefix(s.Name, "/") {
			topic, field = recorder.Commands, robot+"."+command
		}
		if !strings.HasPrefix(topic, "/") {
			continue
		}
		if fields[topic] == nil {
			fields[topic] = map[string]*Series{}
		}
		fields[topic][field] = s
	}
	if len(fields) == 0 {
		return nil
	}
	codecs := map[*recording.ChannelInfo]*dynamic.Codec{}
	for m, err := range f.All(from, func(c *recording.ChannelInfo) bool { return fields[c.Topic] != nil }) {
		if err != nil || m.LogTime >= to {
			return err
		}
		codec := codecs[m.Channel]
		if codec == nil {
			if codec, err = compile(m.Channel); err != nil {
				return fmt.Errorf("%s: topic %s: %w", f.path, m.Channel.Topic, err)
			}
			codecs[m.Channel] = codec
		}
		if err := f.addMessage(codec, &m, fields[m.Channel.Topic]); err != nil {
			return fmt.Errorf("%s: topic %s at %v: %w", f.path, m.Channel.Topic, m.LogTime, err)
		}
	}
	return nil
}

// addMessage adds the values of a message.
func (f *File) addMessage(codec *dynamic.Codec, m *recording.Message, fields map[string]*Series) (err error) {
	robot := "" // the commanded robot: its name precedes the numbers
	var name []byte
	decodeErr := codec.Values(m.Data, func(v *dynamic.Value) {
		s := fields[string(v.Path)]
		if m.Channel.Topic == recorder.Commands {
			if string(v.Path) == "robot" {
				robot = string(v.Text)
			}
			if name = append(append(append(name[:0], robot...), '.'), v.Path...); s == nil {
				s = fields[string(name)]
			}
		}
		if s != nil && v.Text == nil && err == nil {
			err = f.add(s, m.LogTime, v.Number)
		}
	})
	err = cmp.Or(err, decodeErr)
	return err
}
