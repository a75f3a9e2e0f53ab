package robotio

import (
	"fmt"
	"math"
	"sync"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// opticalFrame names a camera's optical frame.
func opticalFrame(robot, sensor string) string { return robot + "/" + sensor + "_optical" }

func header(o *sensors.Observation, frame string) msg.Header {
	return msg.Header{Stamp: msg.TimeFrom(o.Stamp), FrameID: frame}
}

// color publishes a camera's colour image, and its intrinsics where it has any to tell.
func (b *Bridge) color(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	pub, err := ros1.AdvertiseImage(b.node, under(r.Name, t.image), 0)
	if err := b.keep(pub, err); err != nil {
		return err
	}
	info := func(*sensors.Observation) {}
	if t.cameraInfo != "" {
		if info, err = b.cameraInfo(r, cfg, t.cameraInfo); err != nil {
			return err
		}
	}
	frame := opticalFrame(r.Name, cfg.Name)
	return b.listen(r.Name, cfg.Name, omnipitch.Listener{
		Wants: func(l abstraction.Level) bool { return l.Rendered() && pub.NumSubscribers() > 0 },
		Observe: func(o *sensors.Observation) {
			if o.Color == nil {
				return
			}
			info(o)
			if pub.NumSubscribers() == 0 {
				return
			}
			o.Retain()
			// Fails only when the size of the data is not what the other fields say, and they are of one image.
			pub.Publish(&msg.Image{
				Header: header(o, frame), Height: uint32(o.Color.Height), Width: uint32(o.Color.Width),
				Encoding: "rgb8", Step: uint32(3 * o.Color.Width), Data: o.Color.Pix,
			}, o.Release)
		},
	})
}

// depth publishes a Kinect's depth image in millimetres, 0 where nothing is measured.
func (b *Bridge) depth(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	pub, err := ros1.AdvertiseImage(b.node, under(r.Name, t.depth), 0)
	if err := b.keep(pub, err); err != nil {
		return err
	}
	info, err := b.cameraInfo(r, cfg, t.depthInfo)
	if err != nil {
		return err
	}
	frame := opticalFrame(r.Name, cfg.Name)
	pool := sync.Pool{New: func() any { return new([]byte) }}
	return b.listen(r.Name, cfg.Name, omnipitch.Listener{
		Wants: func(l abstraction.Level) bool { return l.Rendered() && pub.NumSubscribers() > 0 },
		Observe: func(o *sensors.Observation) {
			if o.Depth == nil {
				return
			}
			info(o)
			if pub.NumSubscribers() == 0 {
				return
			}
			buf := pool.Get().(*[]byte)
			*buf = millimetres(o.Depth, (*buf)[:0])
			pub.Publish(&msg.Image{
				Header: header(o, frame), Height: uint32(o.Depth.Height), Width: uint32(o.Depth.Width),
				Encoding: "16UC1", Step: uint32(2 * o.Depth.Width), Data: *buf,
			}, func() { pool.Put(buf) })
		},
	})
}

// millimetres appends a depth image as little-endian uint16, 0 for what is unknown or too far for them.
func millimetres(d *render.Depth, into []byte) []byte {
	for _, z := range d.Z {
		mm := render.Millimetres(z)
		into = append(into, byte(mm), byte(mm>>8))
	}
	return into
}

// cameraInfo returns what publishes a camera's intrinsics along with an image.
func (b *Bridge) cameraInfo(r *worlds.Robot, cfg *sensors.Config, topic string) (func(*sensors.Observation), error) {
	pub, err := ros1.Advertise[msg.CameraInfo](b.node, under(r.Name, topic), "sensor_msgs/CameraInfo", ros1.PubOptions{Queue: 2})
	if err := b.keep(pub, err); err != nil {
		return nil, err
	}
	eyes, ok := b.sim.Eyes(r.Name, cfg.Name)
	if !ok {
		return nil, fmt.Errorf("%s.%s: is no camera", r.Name, cfg.Name)
	}
	info := intrinsics(eyes.Model())
	frame := opticalFrame(r.Name, cfg.Name)
	return func(o *sensors.Observation) {
		m := info
		m.Header = header(o, frame)
		pub.Publish(&m)
	}, nil
}

func polar(x, y float64) msg.PPoint {
	return msg.PPoint{Angle: float32(math.Atan2(y, x)), Radius: float32(math.Hypot(x, y) * centimetresPerMetre)}
}
