package replay

import (
	"fmt"
	"io"

	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// keyFrameData reads the data of a key frame from the recording.
func (r *Recording) keyFrameData(f *keyFrame) ([]byte, error) {
	codec, err := recorder.Codec[msg.KeyFrame]("omnipitch_msgs/KeyFrame")
	if err != nil {
		return nil, err
	}
	messages := r.Messages(f.at, func(c *recording.ChannelInfo) bool { return c.Topic == recorder.KeyFrames })
	for {
		m, err := messages.Next()
		if err == io.EOF {
			err = fmt.Errorf("the key frame of step %d is missing from the file", f.step)
		}
		var k msg.KeyFrame
		if err == nil {
			err = codec.Decode(m.Data, &k)
		}
		if err != nil {
			return nil, err
		}
		if int(k.Episode) == f.episode && int64(k.Step) == f.step {
			return k.Data, nil
		}
	}
}
