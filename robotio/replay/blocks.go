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

// block says where in the recording a block of exact states is.
type block struct {
	episode     int
	first, last int64 // first and last step in the block
	at          time.Duration
}

// blocks is a track.Source that provides the exact states of a recording.
type blocks struct {
	recording *Recording
	codec     *msg.Codec[msg.Exact]
}

func newBlocks(r *Recording) (*blocks, error) {
	codec, err := recorder.Codec[msg.Exact]("omnipitch_msgs/Exact")
	return &blocks{r, codec}, err
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
	messages := b.recording.Messages(first.at,
		func(c *recording.ChannelInfo) bool { return c.Topic == recorder.States })
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
			if err := b.codec.Decode(m.Data, &got); err != nil {
				return nil, b.recording.in(m, err)
			}
			if found = found || int(got.Episode) == first.episode && int64(got.First) == first.first; found {
				if _, err := track.ReadHeader(got.Data); err != nil { // errors in the rest of the block name the steps
					return nil, b.recording.in(m, err)
				}
				return got.Data, nil
			}
		}
	}
}

var _ track.Source = (*blocks)(nil)
