package robotio

import (
	"encoding/binary"
	"sync"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// truthStream is one kind of ground truth images.
type truthStream struct {
	name, encoding string
	size           uint32 // bytes per pixel
	pack           func(t *render.Truth, into []byte) []byte
}

// truthStreams are the kinds of ground truth images that a camera publishes.
var truthStreams = [...]truthStream{
	{"labels", "16UC1", 2, func(t *render.Truth, into []byte) []byte {
		for _, l := range t.Labels {
			into = binary.LittleEndian.AppendUint16(into, l)
		}
		return into
	}},
	{"range", "32FC1", 4, func(t *render.Truth, into []byte) []byte { return quantity.AppendFloats(t.Range, into) }},
	{"normals", "32FC3", 12, func(t *render.Truth, into []byte) []byte {
		return quantity.AppendFloats(t.Normals, into)
	}},
	{"flow", "32FC2", 8, func(t *render.Truth, into []byte) []byte { return quantity.AppendFloats(t.Flow, into) }},
}

// truthQueue is the maximum number of images that wait for a slow subscriber: one is being sent and one waits.
const truthQueue = 2

// groundTruth publishes the ground truth images of a camera, if the configuration of the camera asks for such images.
func (b *Bridge) groundTruth(n wire.Node, r *worlds.Robot, cfg *sensors.Config) error {
	if !cfg.Annotate {
		return nil
	}
	if err := n.KeepParam(labelsParam, labelNames(b.sim.Sensors().Scenery().Labels())); err != nil {
		return err
	}
	frame := r.Name + "/" + cfg.Name + quantity.OpticalSuffix
	for _, s := range truthStreams {
		pub, err := wire.Advertise[msg.Image](n, truthTopic(n.Version(), r, cfg, s.name), "sensor_msgs/Image",
			wire.PubOptions{Queue: truthQueue})
		if err := b.closeLater(pub, err); err != nil {
			return err
		}
		wanted := func() bool { return pub.NumSubscribers() > 0 && b.sim.Match().Wired(r.Name) }
		pool := sync.Pool{New: func() any { return new([]byte) }}
		err = b.listen(r.Name, cfg.Name, omnipitch.Listener{
			Wants: func(l abstraction.Level) bool { return l.Rendered() && wanted() },
			Observe: func(o *sensors.Observation) {
				if o.Truth == nil || !wanted() {
					return
				}
				buf := pool.Get().(*[]byte)
				*buf = s.pack(o.Truth, (*buf)[:0])
				pub.SendLent(uint32(o.Frame)+1, &msg.Image{
					Header: msg.Header{Stamp: msg.TimeFrom(o.Stamp), FrameID: frame},
					Height: uint32(o.Truth.Height), Width: uint32(o.Truth.Width),
					Encoding: s.encoding, Step: s.size * uint32(o.Truth.Width),
				}, *buf, func() { pool.Put(buf) })
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// labelNames returns a list of the names of labels. The index of a name in the list is its label.
func labelNames(of map[uint16]string) []any {
	list := make([]any, 0, len(of))
	for label := range uint16(render.LabelBody) {
		list = append(list, of[label])
	}
	for label := uint16(render.LabelBody); of[label] != ""; label++ {
		list = append(list, of[label])
	}
	return list
}
