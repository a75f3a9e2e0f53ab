package replay

import (
	"fmt"
	"io"
	"sort"
	"time"

	"github.com/omnipitch/omnipitch/physics/track"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// block is where a block of exact states is.
type block struct {
	episode     int
	first, last int64 // steps
	at          time.Duration
}

// blocks are the exact states in a recording, as a track.Source.
type blocks struct {
	recording *Recording
	codec     *msg.Codec[msg.Exact]
	messages  *recording.Messages // that go on with block next
	next      int
	recent    [2]loaded // the one that was read last, and the one before
}

type loaded struct {
	number int
	msg.Exact
}

func newBlocks(r *Recording) (*blocks, error) {
	codec, err := recorder.Codec[msg.Exact]("omnipitch_msgs/Exact")
	return &blocks{recording: r, codec: codec, next: -1, recent: [2]loaded{{number: -1}, {number: -1}}}, err
}

// Find implements track.Source.
func (b *blocks) Find(episode int, step int64) (int, error) {
	all := b.recording.blocks
	return sort.Search(len(all), func(i int) bool {
		return all[i].episode > episode || all[i].episode == episode && all[i].last >= step
	}), nil
}

// Block implements track.Source.
func (b *blocks) Block(i int) ([]byte, error) {
	if i >= len(b.recording.blocks) {
		return nil, nil
	}
	for _, r := range b.recent {
		if r.number == i {
			return r.Data, nil
		}
	}
	want := b.recording.blocks[i]
	if i != b.next {
		b.messages = b.recording.Messages(want.at, func(c *recording.ChannelInfo) bool { return c.Topic == recorder.States })
	}
	b.next = -1
	b.recent[0], b.recent[1] = b.recent[1], b.recent[0]
	got := &b.recent[0]
	for got.number = -1; ; {
		m, err := b.messages.Next()
		if err == nil {
			err = b.codec.Decode(m.Data, &got.Exact)
		}
		if err == io.EOF {
			err = fmt.Errorf("the states of steps %d to %d are not there any more", want.first, want.last)
		}
		if err != nil {
			return nil, err
		}
		if int(got.Episode) == want.episode && int64(got.First) == want.first {
			got.number, b.next = i, i+1
			return got.Data, nil
		}
	}
}

var _ track.Source = (*blocks)(nil)
