package replay

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/track"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// EachState calls the function do with the observed exact state of each step, starting at the time start, counted from
// the beginning of the run. EachState stops when do returns an error, and returns this error. The state s is valid only
// during the call of do.
func (r *Recording) EachState(start time.Duration, do func(at time.Duration, s *physics.Snapshot) error) error {
	for e := range r.Episodes {
		first := int64(0)
		if began := r.Episodes[e].Began; began < start {
			first = int64((start - began + r.World.Time.Step - 1) / r.World.Time.Step)
		}
		if first > r.Episodes[e].Steps {
			continue
		}
		if err := r.eachState(e, first, do); err != nil {
			return err
		}
	}
	return nil
}

// eachState is like EachState for one episode, starting at the step first.
func (r *Recording) eachState(episode int, first int64, do func(at time.Duration, s *physics.Snapshot) error) error {
	rows, err := r.rows("the recording", episode, first)
	if err != nil {
		return err
	}
	var last physics.Snapshot // the newest state of its step
	for any := false; ; {
		err := rows.forward()
		if any && (err != nil || rows.step != last.Step) {
			if err := do(r.place(episode, last.Step).Time, &last); err != nil {
				return err
			}
			any = false
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if rows.step >= first && !rows.settled {
			rows.state.CopyTo(&last)
			any = true
		}
	}
}

// block says where in the recording a block of exact states is.
type block struct {
	episode     int
	first, last int64 // first and last step in the block
	at          time.Duration
}

// blocks is a track.Source that provides the exact states of a recording.
type blocks struct {
	recording *Recording
	decoder   *recorder.Decoder[msg.Exact]
}

func newBlocks(r *Recording) (*blocks, error) {
	decoder, err := recorder.NewDecoder[msg.Exact]("omnipitch_msgs/Exact")
	return &blocks{r, decoder}, err
}

// From implements track.Source.
func (b *blocks) From(episode int, step int64) func() ([]byte, error) {
	all := b.recording.blocks
	i := sort.Search(len(all), func(i int) bool {
		return all[i].episode > episode || all[i].episode == episode && all[i].last >= step
	})
	if i == len(all) {
		return func() ([]byte, error) { return nil, io.EOF }
	}
	first := all[i]
	messages := b.recording.Messages(first.at, recording.Topic(recorder.States))
	found := false // false while the loop skips other blocks of the same log time
	var got msg.Exact
	return func() ([]byte, error) {
		for {
			m, err := messages.Next()
			if err == io.EOF && !found {
				err = fmt.Errorf("the states of steps %d to %d are missing from the file", first.first, first.last)
			}
			if err != nil {
				return nil, err
			}
			if err := b.decoder.Decode(m, &got); err != nil {
				return nil, b.recording.in(m, err)
			}
			if found = found || int(got.Episode) == first.episode && int64(got.First) == first.first; found {
				// ReadHeader's errors get a place here; other errors already name the step
				if _, err := track.ReadHeader(got.Data); err != nil {
					return nil, b.recording.in(m, err)
				}
				return got.Data, nil
			}
		}
	}
}

var _ track.Source = (*blocks)(nil)

// keyFrameData reads the data of a key frame from the recording.
func (r *Recording) keyFrameData(f *keyFrame) ([]byte, error) {
	decoder, err := recorder.NewDecoder[msg.KeyFrame]("omnipitch_msgs/KeyFrame")
	if err != nil {
		return nil, err
	}
	for m, err := range r.All(f.at, recording.Topic(recorder.KeyFrames)) {
		var k msg.KeyFrame
		if err == nil {
			err = decoder.Decode(m, &k)
		}
		if err != nil || int(k.Episode) == f.episode && int64(k.Step) == f.step {
			return k.Data, err
		}
	}
	return nil, fmt.Errorf("the key frame of step %d is missing from the file", f.step)
}

// Span is a part of a recorded run, from one time to another, including both. Times are counted from the beginning of
// the run.
type Span struct{ From, To time.Duration }

// span finds the parts of the run with exact states, and stores them in Spans.
func (r *Recording) span() {
	at := func(episode int, step int64) time.Duration {
		return r.Episodes[episode].Began + time.Duration(step)*r.World.Time.Step
	}
	for i, b := range r.blocks {
		follows := false
		if i > 0 {
			switch before := &r.blocks[i-1]; b.episode {
			case before.episode:
				follows = b.first <= before.last+1
			case before.episode + 1:
				follows = b.first == 0 && before.last == r.Episodes[before.episode].Steps
			}
		}
		if !follows {
			r.Spans = append(r.Spans, Span{From: at(b.episode, b.first)})
		}
		r.Spans[len(r.Spans)-1].To = at(b.episode, b.last)
	}
	r.Exact = len(r.Spans) == 1 && r.Spans[0].From == 0 && r.Spans[0].To == r.Length()
}

// playable reports whether the exact states cover a span of time. If they begin during the run, playable also returns
// their first key frame. If fromBeginning is true, the exact states must begin at the beginning of the run.
func (r *Recording) playable(from, to time.Duration, fromBeginning bool) (first *keyFrame, ok bool) {
	i := slices.IndexFunc(r.Spans, func(s Span) bool { return s.From <= from && to <= s.To })
	switch {
	case i < 0:
		return nil, false
	case r.Spans[i].From == 0:
		return nil, true
	case fromBeginning:
		return nil, false
	}
	for k := range r.frames {
		if f := &r.frames[k]; r.Spans[i].From <= f.at && f.at <= from {
			return f, true
		}
	}
	return nil, false
}
