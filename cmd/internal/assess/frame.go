package assess

import (
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// frame is one image of the camera, with the vision's messages about it.
type frame struct {
	number        uint64
	stamp         time.Duration
	poseBC        spatial.Pose // of the camera
	amplification float64      // by which exposure and gain amplify the light
	brightness    render.Brightness
	seen          *sensors.Observation // retained; nil without an image
	messages      []message
}

// release releases the image.
func (f *frame) release() {
	if f.seen != nil {
		f.seen.Release()
		f.seen = nil
	}
}

// answered reports whether a message about the frame has arrived on a topic.
func (f *frame) answered(topic int) bool {
	for i := range f.messages {
		if f.messages[i].topic == topic {
			return true
		}
	}
	return false
}

// frames are the frames that may still be answered, oldest first.
type frames struct {
	waiting []*frame
	period  time.Duration // of the camera
	bytes   int           // total size of the images of waiting frames
}

// maxImages is the largest total size of the images of waiting frames, in bytes. If it is exceeded, the oldest images
// are released. The value is a guess: three seconds of a common camera.
const maxImages = 96 << 20

func (w *frames) add(f *frame) {
	w.waiting = append(w.waiting, f)
	w.bytes += f.size()
	for _, old := range w.waiting {
		if w.bytes <= maxImages {
			break
		}
		w.bytes -= old.size()
		old.release()
	}
}

// size returns the size of the frame's image, in bytes.
func (f *frame) size() int {
	if f.seen == nil || f.seen.Color == nil {
		return 0
	}
	return len(f.seen.Color.Pix)
}

// take removes and returns the oldest frame if its stamp is at or before the time in the argument until. Otherwise it
// returns nil.
func (w *frames) take(until time.Duration) *frame {
	if len(w.waiting) == 0 || w.waiting[0].stamp > until {
		return nil
	}
	f := w.waiting[0]
	w.waiting[0] = nil
	w.waiting = w.waiting[1:]
	w.bytes -= f.size()
	return f
}

// of returns the frame that a message is about. This is the frame with the message's stamp. If there is none, it is the
// last frame at most one and a half periods before the stamp, if no message about that frame has arrived on the topic
// yet. Otherwise of returns nil.
func (w *frames) of(m *message) *frame {
	const same = time.Microsecond // precision of a float stamp
	for i := len(w.waiting) - 1; i >= 0; i-- {
		f := w.waiting[i]
		switch late := m.stamp - f.stamp; {
		case late >= -same && late <= same:
			return f
		case late > w.period*3/2:
			return nil
		case late > 0 && !f.answered(m.topic):
			return f
		}
	}
	return nil
}

// instant is a frame with the truth at its time.
type instant struct {
	*frame
	truth  physics.Snapshot
	things []thing
}
