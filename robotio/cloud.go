package robotio

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// pointSize is the bytes of a point: x, y, z and the colour, four each.
const pointSize = 16

// float32Field is PointField's code for 32-bit floats.
const float32Field = 7

// points publishes a Kinect's coloured points, one a pixel, in its optical frame. Computed only for subscribers.
func (b *Bridge) points(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	pub, err := ros1.Advertise[msg.PointCloud2](b.node, under(r.Name, t.points), "sensor_msgs/PointCloud2", ros1.PubOptions{Queue: 2})
	if err := b.keep(pub, err); err != nil {
		return err
	}
	eyes, ok := b.sim.Eyes(r.Name, cfg.Name)
	if !ok {
		return fmt.Errorf("%s.%s: is no camera", r.Name, cfg.Name)
	}
	lens, ok := eyes.Model().(optics.Pinhole)
	if !ok {
		return fmt.Errorf("%s.%s: points need a pinhole's depth", r.Name, cfg.Name)
	}
	frame := opticalFrame(r.Name, cfg.Name)
	cloud := msg.PointCloud2{PointStep: pointSize}
	for i, name := range []string{"x", "y", "z", "rgb"} {
		cloud.Fields = append(cloud.Fields, msg.PointField{Name: name, Offset: uint32(4 * i), Datatype: float32Field, Count: 1})
	}
	var points []mgl32.Vec3
	return b.listen(r.Name, cfg.Name, omnipitch.Listener{
		Wants: func(l abstraction.Level) bool { return l.Rendered() && pub.NumSubscribers() > 0 },
		Observe: func(o *sensors.Observation) {
			if o.Depth == nil || pub.NumSubscribers() == 0 {
				return
			}
			points = render.Points(o.Depth, lens, points)
			m := cloud
			m.Header, m.Height, m.Width = header(o, frame), uint32(o.Depth.Height), uint32(o.Depth.Width)
			m.RowStep = pointSize * m.Width
			m.Data = packPoints(points, o.Color, cloud.Data[:0])
			cloud.Data = m.Data
			pub.Publish(&m) // encodes before it returns
		},
	})
}

// packPoints appends points and their colours, which are packed into the bits of a float as rviz and PCL expect.
func packPoints(points []mgl32.Vec3, color *render.Image, into []byte) []byte {
	for i, p := range points {
		for _, x := range p {
			into = binary.LittleEndian.AppendUint32(into, math.Float32bits(x))
		}
		c := color.Pix[3*i : 3*i+3]
		into = append(into, c[2], c[1], c[0], 0)
	}
	return into
}
