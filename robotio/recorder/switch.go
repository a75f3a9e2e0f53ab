package recorder

import (
	"io"
	"time"

	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Switch turns the recording of ground truth, topics and (with Config.Exact) exact states on or off, from the next step
// on. External inputs, and the hashes of states that are not recorded exactly, are always recorded, because a replay
// needs them. Any goroutine may call Switch. It fails if the recording has ended.
func (r *Recorder) Switch(on bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.writer.Err(); err != nil {
		return err
	}
	r.wanted.Store(on)
	for _, t := range r.topics {
		t.Switch(on)
	}
	return nil
}

// turn carries out what the last call of Switch asked for. It is called between two steps.
func (r *Recorder) turn() {
	on := r.wanted.Load()
	if on == r.on {
		return
	}
	r.on, r.truth.due = on, 0
	r.states.turn(on)
	r.switched(r.now)
}

// switched records that the recording was switched on or off after the sim time now.
func (r *Recorder) switched(now time.Duration) {
	r.switches.message = msg.Recording{Header: msg.Header{Stamp: msg.TimeFrom(now)}, Active: r.on, Exact: r.cfg.Exact}
	r.switches.write(r.began+now, now)
}

// On returns the spans of log time in which a recording was switched on. It returns nothing for a recording that was
// never switched. If the file is damaged, On returns an error together with the spans before the damage.
func On(r *recording.Reader) (on [][2]time.Duration, err error) {
	codec, err := Codec[msg.Recording]("omnipitch_msgs/Recording")
	if err != nil {
		return nil, err
	}
	began, end := r.Span()
	is, since, switched := true, began, false
	messages := r.Messages(0, func(c *recording.ChannelInfo) bool { return c.Topic == Switches })
	for {
		m, err := messages.Next()
		if err == nil {
			var s msg.Recording
			if err = codec.Decode(m.Data, &s); err == nil {
				if is && !s.Active && m.LogTime > since {
					on = append(on, [2]time.Duration{since, m.LogTime})
				}
				is, since, switched = s.Active, m.LogTime, true
				continue
			}
		}
		if is && switched {
			on = append(on, [2]time.Duration{since, end})
		}
		if err == io.EOF {
			err = nil
		}
		return on, err
	}
}
